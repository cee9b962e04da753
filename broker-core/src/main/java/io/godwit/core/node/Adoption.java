package io.godwit.core.node;

import io.godwit.core.ack.Takers;
import io.godwit.core.group.SharedGroup;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.IngressId;
import io.godwit.core.index.IndexOwner;
import io.godwit.core.node.ShardAdoption.TakenUp;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.Session;
import io.godwit.core.shard.SliceBudget;
import io.godwit.core.store.CopyStore.Adoptable;
import io.godwit.core.takeover.Registrar;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes sessions of the copies that this node has of another node's, while it runs: each waits
 * offline for its client, as after a restart. On the shard that owns the topic index; one adoption
 * after the other.
 *
 * <pre>
 * store    finds the queues
 * shards   adopt them, some hundred in a commit, and take up what the store tells of each
 * here     puts their subscriptions into the index, and has groups joined
 * here     tells the cluster which publishes these sessions may repeat, and which they remember
 * shards   give the sessions their client ids, and do what is due
 * </pre>
 */
final class Adoption {
    /** Subscriptions that go into the index in one slice. */
    private static final int SLICE = 200;

    /** Queues that go to shards in one slice. */
    private static final int FOUND = 2_000;

    private static final Logger LOG = LoggerFactory.getLogger(Adoption.class);

    private final NodeContext node;
    private final BrokerShard[] shards;
    private final BrokerShard owner;
    private final ArrayDeque<Ask> asked = new ArrayDeque<>(0);
    private @Nullable Running running;

    private record Ask(int leader, int copySet, BitSet slots, long epoch, Runnable whenDone) {}

    Adoption(NodeContext node, BrokerShard[] shards) {
        this.node = node;
        this.shards = shards;
        this.owner = shards[TopicIndex.OWNER];
    }

    /** See {@link Broker#adopt}. */
    void adopt(int leader, int copySet, BitSet slots, long epoch, Runnable whenDone) {
        owner.assertInside();
        asked.add(new Ask(leader, copySet, (BitSet) slots.clone(), epoch, whenDone));
        next();
    }

    private void next() {
        Ask ask = running == null ? asked.poll() : null;
        if (ask != null) {
            Running begun = new Running(ask);
            running = begun;
            node.store()
                    .adoptableOf(
                            ask.leader,
                            ask.copySet,
                            found -> owner.execute(() -> begun.begin(found)));
        }
    }

    /** One adoption that is under way. */
    private final class Running implements ShardAdoption.Listener {
        private final Ask ask;
        private final long startedMs = owner.nowMs();
        private final List<ShardAdoption> parts = new ArrayList<>();
        private final ArrayDeque<Subscription> subscriptions = new ArrayDeque<>();
        private final Map<IngressId, Takers> remembered = new LinkedHashMap<>();
        private final Set<IngressId> publishes = new LinkedHashSet<>();

        /** Parts that have not come to the end of the step. */
        private int missing;

        /** Groups that sessions are about to join. */
        private int joining;

        private boolean isIndexing;
        private int sessions;

        Running(Ask ask) {
            this.ask = ask;
        }

        void begin(List<Adoptable> found) {
            List<List<Adoptable>> byShard = new ArrayList<>();
            for (int i = 0; i < shards.length; i++) {
                byShard.add(new ArrayList<>());
            }
            Iterator<Adoptable> left = found.iterator();
            if (!divideSome(left, byShard)) {
                owner.slice(() -> divideSome(left, byShard));
            }
        }

        private boolean divideSome(Iterator<Adoptable> left, List<List<Adoptable>> byShard) {
            SliceBudget budget = new SliceBudget(node.time(), FOUND);
            boolean goesOn = left.hasNext();
            while (goesOn) {
                Adoptable each = left.next();
                ClientId clientId = Objects.requireNonNull(each.clientId());
                if (ask.slots.get(clientId.slot())) {
                    byShard.get(Registrar.shardOf(clientId, shards.length)).add(each);
                }
                goesOn = budget.spend() && left.hasNext();
            }
            if (!left.hasNext()) {
                adopt(byShard);
            }
            return !left.hasNext();
        }

        private void adopt(List<List<Adoptable>> byShard) {
            Epoch epoch = new Epoch(ask.epoch, node.serverId());
            missing = shards.length;
            for (int i = 0; i < shards.length; i++) {
                ShardAdoption part =
                        new ShardAdoption(shards[i], owner, byShard.get(i), epoch, this);
                parts.add(part);
                shards[i].execute(part::adoptNext);
            }
        }

        @Override
        public void onTakenUp(TakenUp some) {
            subscriptions.addAll(some.subscriptions);
            publishes.addAll(some.publishes);
            some.remembered.forEach((id, takers) ->
                    remembered.merge(
                            id,
                            takers,
                            (known, more) -> {
                                known.addAll(more);
                                return known;
                            }));
            if (!isIndexing && !subscriptions.isEmpty()) {
                isIndexing = true;
                owner.slice(this::index);
            }
        }

        @Override
        public void onAllTakenUp() {
            missing--;
            goOnWhenIndexed();
        }

        // ------------------------------------------------------------ the index

        private boolean index() {
            SliceBudget budget = new SliceBudget(node.time(), SLICE);
            boolean goesOn = !subscriptions.isEmpty();
            while (goesOn) {
                index(subscriptions.remove());
                goesOn = budget.spend() && !subscriptions.isEmpty();
            }
            isIndexing = !subscriptions.isEmpty();
            goOnWhenIndexed();
            return !isIndexing;
        }

        private void index(Subscription subscription) {
            IndexOwner index = owner.indexOwner();
            if (!subscription.filter.isShared()) {
                index.add(subscription);
                return;
            }
            SharedGroup group = (SharedGroup) index.recovered(subscription);
            Session session = (Session) subscription.session;
            BrokerShard at = shards[group.owner()];
            joining++;
            at.execute(() -> {
                // First: it has to know the group when a message comes from there.
                shards[session.owner()].execute(() -> session.subscriptions().recovered(group));
                group.join(subscription, false, 0, 0, Integer.MAX_VALUE, at.sureMs());
                group.changed();
                owner.execute(this::joined);
            });
        }

        private void joined() {
            joining--;
            goOnWhenIndexed();
        }

        private void goOnWhenIndexed() {
            if (missing > 0 || isIndexing || !subscriptions.isEmpty() || joining > 0) {
                return;
            }
            node.cluster().adopted(ask.leader, publishes, remembered);
            missing = shards.length;
            for (int i = 0; i < shards.length; i++) {
                shards[i].execute(parts.get(i)::goOn);
            }
        }

        // ------------------------------------------------------------ the end

        @Override
        public void onDone(int of) {
            sessions += of;
            if (--missing > 0) {
                return;
            }
            LOG.info(
                    "Adopted {} sessions of copy set {} of the node with server id {} in {} ms",
                    sessions,
                    ask.copySet,
                    ask.leader,
                    owner.nowMs() - startedMs);
            running = null;
            ask.whenDone.run();
            next();
        }
    }
}
