package io.godwit.core.simulation;

/** What befalls a broker while its clients act: stops, crashes, power cuts and a failing store. */
final class Trouble {
    private final SimulatedNode node;
    private final Storage storage;
    private long atStep = Long.MAX_VALUE;

    Trouble(SimulatedNode node, Storage storage) {
        this.node = node;
        this.storage = storage;
    }

    /** Draws when the next begins. */
    void next() {
        if (node.profile().troubleEverySteps > 0) {
            atStep =
                    node.scheduler().steps()
                            + 1
                            + node.random().nextInt(node.profile().troubleEverySteps);
        }
    }

    /** The broker is left in peace from now on. */
    void end() {
        atStep = Long.MAX_VALUE;
    }

    /** After each step. */
    void maybe() {
        Incarnation broker = node.broker();
        if (node.scheduler().steps() >= atStep && broker != null && !broker.stopping) {
            begin();
        }
    }

    private void begin() {
        Incarnation broker = node.broker();
        if (broker.storeFailed) {
            return;
        }
        switch (node.random().nextInt(6)) {
            case 0, 1 -> {
                node.count(Happening.RESTART);
                node.stop();
                node.scheduler()
                        .in(
                                2_000_000,
                                () -> {
                                    if (node.broker() == broker) {
                                        node.crash(); // Killed, since it took too long.
                                    }
                                });
            }
            case 2 -> {
                node.note("---- the store fails");
                broker.storeFailed = true;
                storage.fail();
            }
            default -> {
                if (node.random().nextInt(3) == 0 || !storage.cutSoon()) {
                    node.crash();
                }
            }
        }
        next();
    }
}
