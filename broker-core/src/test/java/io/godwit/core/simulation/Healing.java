package io.godwit.core.simulation;

import io.godwit.core.node.SessionProbe;

/** The end of a run: everything heals, everyone gets everything, and leaves. */
final class Healing {
    private final SimulatedNode node;
    private final Storage storage;
    private final Invariants invariants;
    private final SimulatedClient observer;

    /** Messages of QoS 0 that the node had dropped when the observer began to read. */
    private long droppedBefore;

    Healing(SimulatedNode node, Storage storage, Invariants invariants, SimulatedClient observer) {
        this.node = node;
        this.storage = storage;
        this.invariants = invariants;
        this.observer = observer;
    }

    void heal() {
        node.note("---- everything heals");
        node.profile().calm();
        storage.calm();
        node.impostors().close();
        for (SimulatedClient client : node.clients()) {
            client.healing = true;
            client.frozen = false;
            client.slow(false);
            if (client.now != null) {
                client.now.link().clientReads(true);
                if (client.now.connect.keepAliveSeconds() > 0) {
                    client.cut(false); // PINGREQ would never let it be quiet.
                }
            }
            client.heal();
        }
    }

    /** Everyone is connected and has everything. */
    void check(Workload workload) {
        for (int i = 0; i < node.shards(); i++) {
            node.note(
                    "shard %s: queued %s, held %s of %s accounted, mailbox %s",
                    i,
                    node.shard(i).load().queues().queuedBytes(),
                    node.shard(i).load().heldBytes(),
                    node.broker().broker.context().load().memory().accountedBytes(),
                    node.shard(i).mailboxDepth());
        }
        for (SimulatedClient client : node.clients()) {
            if (!client.unfinished().isEmpty() && client.now != null) {
                node.note(
                        "c%s: %s",
                        client.index, SessionProbe.reading(client.now.link().connection()));
            }
        }
        for (SimulatedClient client : node.clients()) {
            node.checker()
                    .check(
                            client.unfinished().isEmpty(),
                            "STUCK: c%s is %s",
                            client.index,
                            client.unfinished());
        }
        node.checker().check(storage.isIdle() && node.watch().isIdle(), "the store is not idle");
        invariants.whenQuiet();
        node.checker().atEnd();
        workload.checkWills(observer.view);
        droppedBefore = node.counts().qos0Dropped();
        observer.subscribing.observe("r/#");
        observer.subscribing.observe("s/#");
    }

    /** Messages of QoS 0 that were dropped while the observer has read what is retained. */
    long droppedWhileReading() {
        return node.counts().qos0Dropped() - droppedBefore;
    }

    void leave() {
        node.note("---- everyone leaves");
        for (SimulatedClient client : node.clients()) {
            client.leave();
        }
        observer.leave();
    }
}
