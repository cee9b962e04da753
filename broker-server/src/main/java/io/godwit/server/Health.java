package io.godwit.server;

/** Whether clients should be sent here; read by the admin port. */
public final class Health {
    /** Of a broker's life, in this order. */
    private enum Phase {
        STARTING("starting"),
        JOINING("joining"),
        WAITING("waiting"),
        READY("ready"),
        DRAINING("draining"),
        STOPPING("stopping");

        private final String word;

        Phase(String word) {
            this.word = word;
        }
    }

    private volatile Phase phase = Phase.STARTING;

    /** The cluster is looked for. */
    void joining() {
        phase = Phase.JOINING;
    }

    /** The cluster has not as many nodes yet as it begins with. */
    void waiting() {
        phase = Phase.WAITING;
    }

    void ready() {
        phase = Phase.READY;
    }

    /** What clients and sessions there are goes to other nodes. */
    void draining() {
        phase = Phase.DRAINING;
    }

    void stopping() {
        phase = Phase.STOPPING;
    }

    /** True from the moment the listeners accept until the broker begins to stop. */
    public boolean isReady() {
        return phase == Phase.READY;
    }

    /** What it does now, in a word. */
    public String word() {
        return phase.word;
    }
}
