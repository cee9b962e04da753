package io.godwit.cluster.publish;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Recovery.KeptInbound;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.SessionRecord;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Publishes of QoS 2 that came from other nodes, from their arrival until the node they entered at
 * says that they are over: one that is sent again, to this start or a later one, goes to those only
 * that have not got it.
 *
 * <p>Kept like what clients have published at QoS 2, which the store tells apart after a restart:
 * under sessions of the broker's own, whose client id begins with U+0000. A session has room for as
 * many as there are packet ids.
 */
final class IngressMemory {
    private static final int IDS = 65_535;

    /** A session without any goes after this time. */
    private static final long EMPTY_MS = 1_000;


    /** What is remembered of one publish. */
    static final class Entry {
        private final Page page;
        private final Inbound inbound;

        /** Of one that an earlier start has begun: who has got it. */
        private long @Nullable [] hasIt;

        private boolean done;
        private boolean over;
        private final List<Runnable> whenDone = new ArrayList<>(0);

        private Entry(Page page, Inbound inbound) {
            this.page = page;
            this.inbound = inbound;
        }

        /** Runs a task when everyone has it; at once when it is so. */
        void whenDone(Runnable task) {
            if (done) {
                task.run();
            } else {
                whenDone.add(task);
            }
        }

        /**
         * Whoever asks goes on with it, if an earlier start has begun it.
         *
         * @return queue ids of those that have got it; null when this start routes it already
         */
        long @Nullable [] takeUp() {
            long[] taken = hasIt;
            hasIt = null;
            return taken;
        }
    }

    /** A session of the broker's own. */
    private static final class Page {
        final ClientId name;
        final long queueId;
        final BitSet used = new BitSet();
        long emptySinceMs;

        Page(ClientId name, long queueId) {
            this.name = name;
            this.queueId = queueId;
        }
    }

    private final BrokerShard shard;
    private final Map<IngressId, Entry> entries = new HashMap<>();
    private final List<Page> pages = new ArrayList<>(1);

    IngressMemory(BrokerShard shard) {
        this.shard = shard;
    }

    /** At start: what was kept. */
    void recovered(KeptSession kept) {
        Page page = new Page(kept.clientId(), kept.record().queueId());
        pages.add(page);
        for (KeptInbound each : kept.inbound()) {
            Inbound inbound = each.inbound();
            page.used.set(inbound.packetId);
            Entry entry = new Entry(page, inbound);
            entry.hasIt = each.hasIt();
            entry.done = each.hasIt() == null;
            entries.put(id(inbound), entry);
        }
    }

    private static IngressId id(Inbound inbound) {
        return new IngressId(inbound.ingressServer, inbound.ingressCounter);
    }

    @Nullable Entry find(IngressId publish) {
        return entries.get(publish);
    }

    int size() {
        return entries.size();
    }

    /**
     * A publish that is not remembered has come: from now on it is, once what it is routed to is
     * durable.
     *
     * @return false when there is no room: no queue id is left
     */
    boolean begin(IngressId publish) {
        Page page = pageWithRoom();
        if (page == null) {
            return false;
        }
        int packetId = page.used.nextClearBit(1);
        page.used.set(packetId);
        Inbound inbound =
                new Inbound(page.queueId, packetId, publish.server(), publish.counter());
        shard.store().putInbound(inbound);
        entries.put(publish, new Entry(page, inbound));
        return true;
    }

    private @Nullable Page pageWithRoom() {
        for (Page page : pages) {
            if (page.used.cardinality() < IDS) {
                return page;
            }
        }
        long queueId = shard.ids().nextQueueId();
        if (queueId == 0) {
            return null;
        }
        HybridId stamp = shard.ids().stamp();
        Page page = new Page(ClientId.of("\0nodes " + Long.toHexString(queueId)), queueId);
        shard.store()
                .putSession(
                        page.name,
                        new SessionRecord(
                                queueId,
                                stamp,
                                stamp,
                                shard.ids().epoch(0),
                                ProtocolVersion.MQTT_5,
                                0xFFFF_FFFFL,
                                0,
                                null,
                                List.of()));
        page.emptySinceMs = shard.nowMs();
        pages.add(page);
        return page;
    }

    /** Everyone has it. */
    void done(IngressId publish) {
        Entry entry = entries.get(publish);
        if (entry == null || entry.done) {
            return;
        }
        entry.done = true;
        shard.store().inboundTaken(entry.inbound);
        entry.whenDone.forEach(Runnable::run);
        entry.whenDone.clear();
        if (entry.over) {
            forget(publish, entry);
        }
    }

    /**
     * It will not come again.
     *
     * @return false when it is not remembered here
     */
    boolean over(IngressId publish) {
        Entry entry = entries.get(publish);
        if (entry == null) {
            return false;
        }
        if (entry.done || entry.hasIt != null) {
            forget(publish, entry);
        } else {
            entry.over = true;
        }
        return true;
    }

    /** Of the publishes of a server's earlier starts these alone may come again. */
    void stillOpen(int server, long start, Set<Long> counters) {
        for (IngressId each : List.copyOf(entries.keySet())) {
            if (each.server() == server
                    && IngressId.start(each.counter()) < start
                    && !counters.contains(each.counter())) {
                over(each);
            }
        }
    }

    private void forget(IngressId publish, Entry entry) {
        entries.remove(publish);
        shard.store().removeInbound(entry.inbound);
        entry.page.used.clear(entry.inbound.packetId);
        entry.page.emptySinceMs = shard.nowMs();
    }

    /**
     * Sessions that nothing was under for a while go.
     *
     * @return whether there are others
     */
    boolean sweep() {
        for (Iterator<Page> all = pages.iterator(); all.hasNext(); ) {
            Page page = all.next();
            if (page.used.isEmpty() && shard.nowMs() - page.emptySinceMs >= EMPTY_MS) {
                all.remove();
                shard.store().removeSession(page.name, page.queueId, shard.ids().stamp());
            }
        }
        return !pages.isEmpty();
    }
}
