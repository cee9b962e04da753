package io.godwit.cluster.broker;

import java.util.SplittableRandom;

/** One node after the other leaves, ends when it has nothing any more, and is back. */
final class NodeDrains {
    private final RoamingClients run;
    private final SplittableRandom when;

    /** Server id of the node that leaves; 0 when none does. */
    int leaving;

    private boolean isOver;

    NodeDrains(RoamingClients run, long seed) {
        this.run = run;
        when = new SplittableRandom(seed * 0xD134_2543_DE82_EF95L);
    }

    void step() {
        if (leaving == 0 && when.nextInt(20) == 0) {
            int server = 1 + when.nextInt(RoamingClients.NODES);
            if (run.nodes.node(server).isUp) {
                leave(server);
            }
        } else if (leaving != 0) {
            run.nodes.pass(100L * when.nextInt(2));
            end();
        }
    }

    private void leave(int server) {
        run.note("%s leaves", server);
        run.count("drains");
        leaving = server;
        isOver = false;
        run.publishers.get(server - 1).lost();
        LoopNodes.One one = run.nodes.node(server);
        one.node().broker().sendElsewhere("", 1_000, () -> {});
        one.part()
                .leave(() -> {
                    run.note("%s has passed on what waits in groups", server);
                    run.count("drained");
                    isOver = true;
                });
    }

    /** It is back, and does not leave any more. */
    void died(int server) {
        leaving = leaving == server ? 0 : leaving;
    }

    private void end() {
        if (isOver) {
            run.note("%s ends and begins", leaving);
            run.ends();
            run.subscribers.forEach(each -> each.lost(leaving));
            run.rovers.forEach(each -> each.lost(leaving));
            run.sentAtLastEnd = run.messages;
            run.nodes.node(leaving).crash();
            run.nodes.node(leaving).restart();
            leaving = 0;
        }
    }

    void atEnd() {
        for (int i = 0; i < 100 && leaving != 0; i++) {
            run.nodes.pass(200);
            run.subscribers.forEach(RoamingSubscriber::see);
            end();
        }
        if (leaving != 0) {
            throw new IllegalStateException(leaving + " does not end");
        }
    }
}
