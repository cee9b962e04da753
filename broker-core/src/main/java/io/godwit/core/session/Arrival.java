package io.godwit.core.session;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.RelayReceipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a session that has come from another node knows of the messages that come for it, as long as
 * its former home passes on what still reaches it. From then on until that home has none of the
 * session's filters any more, each message comes by both ways:
 *
 * <pre>
 * publisher's node ----------------> new home       directly
 *         |                             ^
 *         +----> former home -----------+           round
 * </pre>
 *
 * <p>It is taken once. Some come round alone: those that have passed the new home before the
 * session was there. So what comes directly may be newer than what is still on its way round, and
 * waits here until it has come round, too, or until nothing does any more. What waits is under way
 * to the former home as well, and bounded by what may wait for that node. At QoS 0 nothing comes
 * round.
 *
 * <p>The former home does not hear of UNSUBSCRIBE: what comes round is only taken for filters that
 * the session has come with and has had since.
 *
 * <p>A session that has gone on is still in the middle of the way: it passes on in the same order,
 * and recognises nothing, since it answers for nothing.
 */
final class Arrival {
    /** Bounded: the oldest are forgotten. */
    static final int MAX = 20_000;

    /** What an id takes with its place in a set. */
    private static final int ID_BYTES = 96;

    /** Of what comes round. */
    private final ArrivedFilters taken;

    /** Of what comes both ways. */
    private final ArrivedFilters followed;

    /** Taken, here or where the session was before. */
    private final Set<IngressId> ids = new LinkedHashSet<>();

    /** Passed on, of what has come round. */
    private final Set<IngressId> passedOn = new LinkedHashSet<>(0);

    /** Taken where the session was before; they have come with its queue. */
    private final Set<IngressId> arrived = new LinkedHashSet<>(0);

    /** What has come directly and waits, in order. */
    private final Map<IngressId, Held> held = new LinkedHashMap<>(0);

    /** QoS 2 messages that their publishers will not send again. */
    private final List<IngressId> toForget = new ArrayList<>(0);

    private ShardLoad load;
    private int shard;
    private boolean isOver;

    /**
     * A message that waits.
     *
     * @param receipt of the shard that the session is on
     * @param before the same message, which was sent again since: who has sent it waits, too
     */
    record Held(
            Message message,
            int qos,
            boolean retain,
            int[] ids,
            @Nullable Receipt receipt,
            @Nullable Held before) {
        Held behind(@Nullable Held same) {
            return new Held(message, qos, retain, ids, receipt, same);
        }

        Held at(Shard here, int from) {
            return new Held(
                    message,
                    qos,
                    retain,
                    ids,
                    RelayReceipt.at(here, receipt, from),
                    before == null ? null : before.at(here, from));
        }
    }

    /**
     * @param taken filters that the session has come with
     * @param followed those of them for which messages come by both ways
     * @param load counts what waits, and what is remembered
     * @param at the session's shard
     */
    Arrival(ArrivedFilters taken, ArrivedFilters followed, ShardLoad load, Shard at) {
        this.taken = taken;
        this.followed = followed;
        this.load = load;
        this.shard = at.index();
    }

    static IngressId id(Message message) {
        return new IngressId(message.ingressServer, message.ingressCounter);
    }

    /**
     * @return false when it was taken before
     */
    boolean take(Message message) {
        IngressId id = id(message);
        return !arrived.contains(id) && add(ids, id);
    }

    boolean hasTaken(Message message) {
        IngressId id = id(message);
        return arrived.contains(id) || ids.contains(id);
    }

    /**
     * It has come with the queue: its node may have been faster to hear of it than this one.
     *
     * @return the same message, which has come directly and waits; null when it has not come
     */
    @Nullable Held arrived(IngressId id) {
        add(arrived, id);
        return release(id);
    }

    /** What comes directly from now on has come that way alone, and is not remembered. */
    void over() {
        isOver = true;
    }

    boolean isOver() {
        return isOver;
    }

    /** It was taken where the session was before. */
    void tookBefore(IngressId id) {
        add(ids, id);
    }

    /** What was taken, here or before. */
    Collection<IngressId> taken() {
        List<IngressId> all = new ArrayList<>(arrived);
        all.addAll(ids);
        return all;
    }

    /** It has come round, and goes on. */
    void passOn(Message message) {
        add(passedOn, id(message));
    }

    private boolean add(Set<IngressId> to, IngressId id) {
        if (!to.add(id)) {
            return false;
        }
        if (to.size() > MAX) {
            Iterator<IngressId> oldest = to.iterator();
            oldest.next();
            oldest.remove();
        } else {
            countIds(1);
        }
        return true;
    }

    private void countIds(long change) {
        load.queued(change * ID_BYTES, 0);
    }

    private int remembered() {
        return ids.size() + passedOn.size() + arrived.size() + toForget.size();
    }

    /** Whether what comes round on that topic is for the session. */
    boolean takes(Topic topic) {
        return taken.match(topic);
    }

    /** Whether a message that has come directly is to come round, too, and has not. */
    boolean isToComeRound(Message message) {
        IngressId id = id(message);
        return followed.match(message.topic)
                && !ids.contains(id)
                && !passedOn.contains(id)
                && !arrived.contains(id);
    }

    // ---------------------------------------------------------------- what waits

    void hold(Held what) {
        Held before = held.get(id(what.message));
        held.put(id(what.message), what.behind(before));
        if (before == null) {
            count(what, 1);
        }
    }

    private void count(Held of, int sign) {
        load.queued((long) sign * of.message.accountedBytes(), sign);
    }

    /** Takes out the one that has come round now; null when it has not come directly. */
    @Nullable Held release(Message message) {
        return release(id(message));
    }

    private @Nullable Held release(IngressId id) {
        Held out = held.remove(id);
        if (out != null) {
            count(out, -1);
        }
        return out;
    }

    /** From now on nothing waits: takes out all that does, in order. */
    List<Held> followsNoMore() {
        followed.clear();
        return end();
    }

    /** Takes out all that waits, in order. */
    List<Held> end() {
        List<Held> all = new ArrayList<>(held.values());
        all.forEach(each -> count(each, -1));
        held.clear();
        return all;
    }

    /** The session is back: what it has passed on it has not taken. */
    void comesBack() {
        countIds(-passedOn.size());
        passedOn.clear();
    }

    /** The session leaves its shard, or needs this no more: it does not count here any more. */
    void leaveShard() {
        held.values().forEach(each -> count(each, -1));
        countIds(-remembered());
    }

    /** It is on this one now. */
    void arrive(ShardLoad now, Shard at) {
        int before = shard;
        load = now;
        shard = at.index();
        held.replaceAll((id, each) -> each.at(at, before));
        held.values().forEach(each -> count(each, 1));
        countIds(remembered());
    }

    // ---------------------------------------------------------------- what it subscribes to

    /**
     * The session has this filter no more, or anew.
     *
     * @return what waited for that alone, in order
     */
    List<Held> unsubscribed(TopicFilter filter) {
        taken.remove(filter);
        followed.remove(filter);
        return noMoreFollowed();
    }

    private List<Held> noMoreFollowed() {
        List<Held> free = new ArrayList<>(0);
        for (Iterator<Held> i = held.values().iterator(); i.hasNext(); ) {
            Held each = i.next();
            if (!followed.match(each.message.topic)) {
                i.remove();
                count(each, -1);
                free.add(each);
            }
        }
        return free;
    }

    /** Nothing comes round for these: it comes directly alone. */
    void directAlone(Collection<TopicFilter> filters) {
        followed.removeAll(filters);
    }

    // ---------------------------------------------------------------- its publishers

    /** Notes that the queue need not remember a message once it can't be passed on any more. */
    void forgetLater(int ingressServer, long ingressCounter) {
        if (toForget.size() < MAX) {
            toForget.add(new IngressId(ingressServer, ingressCounter));
            countIds(1);
        }
    }

    List<IngressId> toForget() {
        return toForget;
    }
}
