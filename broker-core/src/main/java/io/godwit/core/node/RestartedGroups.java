package io.godwit.core.node;

import io.godwit.core.group.SharedGroup;
import io.godwit.core.id.QueueId;
import io.godwit.core.index.IndexOwner;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.session.GroupReading;
import io.godwit.core.session.NodeGroups;
import io.godwit.core.session.Session;
import io.godwit.core.store.Recovery.KeptGroupPart;
import io.godwit.core.store.Recovery.KeptInFlight;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Takes up the shared groups that an earlier start has left: their parts are told of first, then
 * the sessions, which are members of them.
 */
final class RestartedGroups {
    private final BrokerShard[] shards;
    private final long wallMs;
    private final RestartedIngress ingress;
    private final Map<TopicFilter, List<KeptGroupPart>> parts = new LinkedHashMap<>();

    /** Parts of a group that was left and made anew since: another queue has their place. */
    private final Map<TopicFilter, List<KeptGroupPart>> former = new LinkedHashMap<>();

    private final Map<SharedGroup, List<KeptGroupPart>> joined = new LinkedHashMap<>();

    /** Other nodes may have members of them, which is not known yet. */
    private final boolean hasOthers;

    /**
     * @param ingress takes the ingress ids that the groups remember
     * @param hasOthers whether the node belongs to a cluster
     */
    RestartedGroups(
            BrokerShard[] shards, long wallMs, RestartedIngress ingress, boolean hasOthers) {
        this.hasOthers = hasOthers;
        this.ingress = ingress;
        this.shards = shards;
        this.wallMs = wallMs;
    }

    /**
     * Adds a part; called in the order of the queue ids: of two that are the same part, the later
     * one that this node has made is the living one, and one that it has adopted is not.
     */
    void add(TopicFilter filter, KeptGroupPart part) {
        List<KeptGroupPart> known = parts.computeIfAbsent(filter, f -> new ArrayList<>());
        KeptGroupPart same = null;
        for (KeptGroupPart other : known) {
            same = other.number() == part.number() ? other : same;
        }
        if (same != null && isAdopted(part) && !isAdopted(same)) {
            former.computeIfAbsent(filter, f -> new ArrayList<>()).add(part);
        } else {
            if (same != null) {
                known.remove(same);
                former.computeIfAbsent(filter, f -> new ArrayList<>()).add(same);
            }
            known.add(part);
        }
    }

    /** Whether another node has made a part. */
    private boolean isAdopted(KeptGroupPart part) {
        return QueueId.server(part.queue().queueId()) != shards[0].node().serverId();
    }

    void join(IndexOwner index, Session session, Subscription subscription) {
        List<KeptGroupPart> kept = parts.remove(subscription.filter);
        SharedGroup group = (SharedGroup) index.recovered(subscription);
        if (kept != null) {
            recover(group, kept);
            joined.put(group, kept);
        }
        group.join(subscription, false, 0, 0, Integer.MAX_VALUE, wallMs);
        group.changed();
        session.subscriptions().recovered(group);
    }

    /** Ends the restart of groups: every session was told of. */
    void end() {
        joined.forEach(this::read);
        parts.forEach(this::withoutMember);
        former.forEach(this::withoutMember);
    }

    /**
     * Ends the parts that nobody is subscribed to, but for entries that are in flight to somebody.
     * What waits in them may be for members at other nodes.
     */
    private void withoutMember(TopicFilter filter, List<KeptGroupPart> kept) {
        List<KeptGroupPart> alive = new ArrayList<>();
        List<KeptGroupPart> twice = new ArrayList<>();
        for (KeptGroupPart part : kept) {
            boolean isWanted =
                    hasReceiver(part) || hasOthers && (hasWaiting(part) || isAdopted(part));
            if (!isWanted) {
                remove(filter, part);
            } else if (alive.stream().anyMatch(other -> other.number() == part.number())) {
                twice.add(part);
            } else {
                alive.add(part);
            }
        }
        if (!twice.isEmpty()) {
            withoutMember(filter, twice);
        }
        if (!alive.isEmpty()) {
            SharedGroup group =
                    shards[NodeGroups.shardOf(filter, shards.length)].groups().create(filter);
            recover(group, alive);
            group.changed();
            read(group, alive);
        }
    }

    private boolean hasReceiver(KeptGroupPart part) {
        KeptGroupPart before = part.predecessor();
        return part.inFlight().stream()
                        .map(KeptInFlight::to)
                        .anyMatch(to -> to.isNode() ? hasOthers : !to.isTransient())
                || before != null && hasReceiver(before);
    }

    private static boolean hasWaiting(KeptGroupPart part) {
        KeptGroupPart before = part.predecessor();
        return part.queue().idle() > 0 || before != null && hasWaiting(before);
    }

    private void remove(TopicFilter filter, KeptGroupPart part) {
        BrokerShard shard = shards[TopicIndex.OWNER];
        for (KeptGroupPart each = part; each != null; each = each.predecessor()) {
            shard.store().removeGroup(filter, each.queue().queueId(), shard.ids().stamp());
        }
    }

    private void recover(SharedGroup group, List<KeptGroupPart> kept) {
        for (KeptGroupPart part : kept) {
            if (isAdopted(part)) {
                group.recovery().adopt(part);
            } else {
                group.recovery().recover(part);
            }
            for (KeptGroupPart each = part; each != null; each = each.predecessor()) {
                ingress.add(group, each.remembered());
                for (KeptInFlight sent : each.inFlight()) {
                    if (!sent.to().isTransient()) {
                        ingress.passedOn(sent.id());
                    }
                }
            }
        }
    }

    private void read(SharedGroup group, List<KeptGroupPart> kept) {
        for (KeptGroupPart part : kept) {
            for (KeptGroupPart each = part; each != null; each = each.predecessor()) {
                if (!each.inFlight().isEmpty()) {
                    read(group, each);
                }
            }
        }
    }

    private void read(SharedGroup group, KeptGroupPart part) {
        BrokerShard shard = shards[group.owner()];
        shard.execute(new GroupReading(shard.sessionContext(), group, part)::begin);
    }
}
