package io.godwit.cluster.question;

/** Answers the questions of other nodes. */
@FunctionalInterface
public interface Answerer {
    /** Refuses all: of a node that has nothing to tell. */
    Answerer NONE = (question, answer) -> answer.failed("it answers no questions");

    /**
     * Answers a question. Called on the shard that owns the topic index: it does not wait, and work
     * for shards is mail.
     *
     * @param answer told once, by any thread
     */
    void answer(byte[] question, Answer answer);

    /** Takes the answer to one question. */
    interface Answer {
        /**
         * Answers it.
         *
         * @param body at most {@link Questions#BYTES_MAX} bytes
         */
        void answered(byte[] body);

        /** Says why there is no answer. */
        void failed(String why);
    }
}
