package io.godwit.cluster.question;

/**
 * Says why a question has no answer.
 *
 * @param server id of the node that was asked
 * @param text what that node says of it; empty unless it was refused
 */
public record QuestionFailure(int server, Cause cause, String text) {
    /** Names the cause. */
    public enum Cause {
        /**
         * There is no link to the node, or the link ended: it may have carried the question out.
         */
        AWAY,
        /** The node has not answered in time: it may have carried the question out. */
        TIMEOUT,
        /** As many questions to that node are open as may be, or this one is too large. */
        FULL,
        /** The node could not answer it. */
        REFUSED
    }

    QuestionFailure(int server, Cause cause) {
        this(server, cause, "");
    }
}
