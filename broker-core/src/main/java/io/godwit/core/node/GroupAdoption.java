package io.godwit.core.node;

import io.godwit.core.ack.Takers;
import io.godwit.core.group.SharedGroup;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.GroupReading;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.store.CopySets;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes up the copies that this node has of another node's queues of shared groups, while it runs.
 * Each becomes the queue of a group without members, as one has that all members have left: it
 * gives what waits to the group of the same filter here, or else to other nodes.
 *
 * <pre>
 * store    finds the queues, and makes this node their leader, some hundred in a commit
 * shards   make groups of them
 * owner    tells the cluster which messages the queues remember, and which may be passed on again
 * shards   read what was in flight, and give what waits
 * </pre>
 *
 * <p>One adoption, on the shard that owns the topic index.
 */
final class GroupAdoption {
    private static final Logger LOG = LoggerFactory.getLogger(GroupAdoption.class);

    /** A group that was made of adopted parts. */
    private record Adopted(SharedGroup group, List<KeptGroupPart> parts) {}

    private final NodeContext node;
    private final BrokerShard[] shards;
    private final BrokerShard owner;
    private final int leader;
    private final Runnable whenDone;
    private final long startedMs;
    private final Map<TopicFilter, List<KeptGroupPart>> found = new LinkedHashMap<>();
    private final List<Adopted> adopted = new ArrayList<>();
    private int queues;

    /** Shards that have not come to the end of the step. */
    private int missing;

    /**
     * @param leader server id of the node that has led the queues
     * @param whenDone see {@link Broker#adoptGroups}
     */
    GroupAdoption(NodeContext node, BrokerShard[] shards, int leader, Runnable whenDone) {
        this.node = node;
        this.shards = shards;
        this.owner = shards[TopicIndex.OWNER];
        this.leader = leader;
        this.whenDone = whenDone;
        this.startedMs = owner.nowMs();
    }

    void begin() {
        owner.assertInside();
        node.store()
                .adoptableOf(
                        leader, CopySets.GROUPS, all -> owner.execute(() -> adoptFrom(all, 0)));
    }

    private void adoptFrom(List<Adoptable> all, int from) {
        if (from == all.size()) {
            queues = all.size();
            takeUp();
            return;
        }
        int end = Math.min(all.size(), from + ShardAdoption.BATCH);
        Told told = new Told(end - from, () -> adoptFrom(all, end));
        // Above all epochs under which it was led: clocks are lifted by what nodes tell each other.
        Epoch epoch = new Epoch(owner.ids().stamp().clock(), node.serverId());
        all.subList(from, end).forEach(each -> owner.store().adopt(each.queueId(), epoch, told));
    }

    /** What the store tells of the queues of one commit, on its thread. */
    private final class Told implements Recovery {
        private final Map<TopicFilter, List<KeptGroupPart>> some = new LinkedHashMap<>();
        private final Runnable then;
        private int left;

        Told(int queues, Runnable then) {
            this.left = queues;
            this.then = then;
        }

        @Override
        public void group(TopicFilter filter, KeptGroupPart part) {
            some.computeIfAbsent(filter, any -> new ArrayList<>()).add(part);
        }

        @Override
        public void adopted(long queueId) {
            if (--left == 0) {
                owner.execute(() -> {
                    some.forEach((filter, parts) ->
                            found.computeIfAbsent(filter, any -> new ArrayList<>()).addAll(parts));
                    then.run();
                });
            }
        }

        @Override
        public void session(KeptSession session) {}

        @Override
        public void retained(Message message, HybridId stamp) {}
    }

    // ---------------------------------------------------------------- groups

    private void takeUp() {
        onEachShard(this::makeGroups, this::tellCluster);
    }

    private void makeGroups(int shard) {
        List<Adopted> made = new ArrayList<>();
        found.forEach((filter, parts) -> {
            if (NodeGroups.shardOf(filter, shards.length) == shard) {
                makeGroups(shards[shard], filter, parts, made);
            }
        });
        owner.execute(() -> adopted.addAll(made));
    }

    /**
     * A group has one queue for each of its parts: for two that are the same part there are two.
     */
    private static void makeGroups(
            BrokerShard at, TopicFilter filter, List<KeptGroupPart> parts, List<Adopted> made) {
        List<KeptGroupPart> left = new ArrayList<>(parts);
        while (!left.isEmpty()) {
            BitSet numbers = new BitSet();
            List<KeptGroupPart> some = new ArrayList<>();
            for (KeptGroupPart each : left) {
                if (!numbers.get(each.number())) {
                    numbers.set(each.number());
                    some.add(each);
                }
            }
            left.removeAll(some);
            SharedGroup group = at.groups().create(filter);
            some.forEach(group.recovery()::adopt);
            made.add(new Adopted(group, some));
        }
    }

    private void tellCluster() {
        Set<IngressId> passedOn = new LinkedHashSet<>();
        Map<IngressId, Takers> remembered = new LinkedHashMap<>();
        NodeGroups groups = new NodeGroups(owner, node.groups());
        for (Adopted each : adopted) {
            for (KeptGroupPart part : each.parts) {
                for (KeptInFlight sent : part.inFlight()) {
                    if (!sent.to().isTransient()) {
                        passedOn.add(IngressId.ofEntry(sent.id().server(), sent.id().clock()));
                    }
                }
                for (KeptIngress known : part.remembered()) {
                    IngressId id = known.ingress();
                    Takers takers = new Takers(id.server(), id.counter(), groups.taker(each.group));
                    Takers before = remembered.putIfAbsent(id, takers);
                    if (before != null) {
                        before.addAll(takers);
                    }
                }
            }
        }
        node.cluster().adopted(leader, passedOn, remembered);
        onEachShard(this::goOn, this::end);
    }

    private void goOn(int shard) {
        BrokerShard at = shards[shard];
        for (Adopted each : adopted) {
            if (each.group.owner() == shard) {
                for (KeptGroupPart part : each.parts) {
                    if (!part.inFlight().isEmpty()) {
                        new GroupReading(at.sessionContext(), each.group, part).begin();
                    }
                }
                each.group.work(at.sureMs());
                each.group.changed();
            }
        }
    }

    private void end() {
        if (queues > 0) {
            LOG.info(
                    "Adopted {} queues of {} shared groups of the node with server id {} in {} ms",
                    queues,
                    found.size(),
                    leader,
                    owner.nowMs() - startedMs);
        }
        whenDone.run();
    }

    /** A step of one shard. */
    private interface Step {
        void run(int shard);
    }

    private void onEachShard(Step step, Runnable then) {
        missing = shards.length;
        for (int i = 0; i < shards.length; i++) {
            int shard = i;
            shards[i].execute(() -> {
                step.run(shard);
                owner.execute(() -> {
                    if (--missing == 0) {
                        then.run();
                    }
                });
            });
        }
    }
}
