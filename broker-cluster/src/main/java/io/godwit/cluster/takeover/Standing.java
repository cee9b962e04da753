package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.NodeStart;

/** How a node stands with a client id: what it tells the anchor. */
public sealed interface Standing {
    /**
     * How often the session had changed its home when this node came to stand so: from 1. The
     * higher one is the later one.
     */
    long changes();

    /** Whether a restart of the node finds it. */
    boolean durable();

    /**
     * It is the home of the session.
     *
     * @param durable the session outlives this start of the node
     */
    record Home(long changes, boolean durable) implements Standing {}

    /**
     * It has given the session up, and keeps what it had until the new home has all of it.
     *
     * @param to the claim that it was given to
     * @param durable it keeps it through a restart
     */
    record Given(long changes, ClaimId to, boolean durable) implements Standing {
        NodeStart by() {
            return to.by();
        }
    }

    /**
     * The session has ended here, and a former home may still keep what it had: nobody is to take
     * that for the session.
     */
    record Ended(long changes) implements Standing {
        @Override
        public boolean durable() {
            return true;
        }
    }

    /** It has nothing. */
    record Nothing() implements Standing {
        @Override
        public long changes() {
            return 0;
        }

        @Override
        public boolean durable() {
            return false;
        }
    }

    Nothing NOTHING = new Nothing();
}
