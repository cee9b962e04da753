package io.godwit.cluster.takeover;

/** A connection of the model that wants its client id. */
interface ModelConnect {
    /** Waits for what another node has offered. */
    ModelConnect NOBODY =
            new ModelConnect() {
                @Override
                public boolean isClean() {
                    return false;
                }

                @Override
                public boolean isDurable() {
                    throw new IllegalStateException("nothing is made for nobody");
                }

                @Override
                public boolean accepted(ModelNode at) {
                    return false;
                }

                @Override
                public void refused() {}
            };

    boolean isClean();

    boolean isDurable();

    /** The session is its own; false when the connection has gone meanwhile. */
    boolean accepted(ModelNode at);

    void refused();
}
