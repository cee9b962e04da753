package io.godwit.core.session;

import static io.godwit.core.session.HeldMessages.id;

import io.godwit.core.ack.Receipt;
import io.godwit.core.id.IngressId;
import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.Subscription;
import io.godwit.core.session.HeldMessages.Held;
import io.godwit.core.shard.Shard;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
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
 * <p>Where an earlier copy of it has been all the time, it is the other way about: everything has
 * come here directly, and some messages have come to the last home too early. So what comes round
 * waits until it has come directly, too, or until nothing does any more that was sent before the
 * session was back.
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

    final ArrivalWays ways;

    /** Taken, here or where the session was before. */
    private final Set<IngressId> ids = new LinkedHashSet<>();

    /** Passed on, of what has come round. */
    private final Set<IngressId> passedOn = new LinkedHashSet<>(0);

    /** Taken where the session was before; they have come with its queue. */
    private final Set<IngressId> arrived = new LinkedHashSet<>(0);

    /** What has come directly and waits, in order. */
    private final HeldMessages held;

    /** Which of those are none of the session's. */
    private final LaterMessages later = new LaterMessages();

    /** What has come round and waits to come directly, in order. */
    private final HeldMessages heldRound;

    /** QoS 2 messages that their publishers will not send again. */
    private final Set<IngressId> toForget = new LinkedHashSet<>(0);

    private ShardLoad load;
    private int shard;
    private boolean isOver;
    private boolean waitsWithCopy;

    /**
     * @param subscriptions that the session has come with
     * @param load counts what waits, and what is remembered
     * @param at the session's shard
     */
    Arrival(Collection<Subscription> subscriptions, ShardLoad load, Shard at) {
        this.ways = new ArrivalWays(subscriptions, load);
        this.held = new HeldMessages(load);
        this.heldRound = new HeldMessages(load);
        this.load = load;
        this.shard = at.index();
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
        return later.add(held.release(id));
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
        load.queues().queued(change * ID_BYTES, 0);
    }

    private int remembered() {
        return ids.size() + passedOn.size() + arrived.size() + toForget.size();
    }

    /** Whether a message that has come directly is to come round, too, and has not. */
    boolean isToComeRound(Message message) {
        return ways.followed.match(message.topic) && !isKnown(message);
    }

    /** Whether a message that has come round is to come directly, too, and has not. */
    boolean isToComeDirectly(Message message) {
        return ways.direct.match(message.topic) && !isKnown(message) && !held.has(id(message));
    }

    /**
     * Whether a message that has come round is to come round by those former homes first that are
     * in order.
     *
     * @param changes number of the grant for which it was passed on
     */
    boolean isToComeInOrder(Message message, long changes) {
        return ways.isBehind(message.topic, changes) && !isKnown(message);
    }

    /** Whether a message waits for what is older to come round, by which way it may come itself. */
    boolean isToWait(Message message) {
        return ways.waits.match(message.topic) && !isKnown(message);
    }

    private boolean isKnown(Message message) {
        IngressId id = id(message);
        return ids.contains(id) || passedOn.contains(id) || arrived.contains(id);
    }

    // ---------------------------------------------------------------- what waits

    void hold(Held what) {
        held.hold(what);
    }

    /** The same of one that has come round. */
    void holdRound(Held what) {
        heldRound.hold(what);
    }

    /** Takes out the one that has come round now; null when it has not come directly. */
    @Nullable Held release(Message message) {
        return later.add(held.release(id(message)));
    }

    /** One comes directly. */
    void comesDirectly(Message message, @Nullable Receipt receipt) {
        if (held.isEmpty()) {
            later.clear();
        } else if (isKnown(message)) {
            later.add(message, receipt);
        }
    }

    /** Whether one that has only come directly is older than the session's subscription. */
    boolean isEarlier(Held message) {
        return later.hasBehind(message);
    }

    /** Which of what waits is none of the session's, for where that goes on waiting. */
    LaterMessages later() {
        return later.copy();
    }

    void knowsLater(LaterMessages before) {
        later.addAll(before);
    }

    /** Takes out the one that has come directly now; null when it has not come round. */
    @Nullable Held releaseRound(IngressId id) {
        return heldRound.release(id);
    }

    /** From now on nothing waits: takes out all that does, in order. */
    List<Held> followsNoMore() {
        ways.waitForNothing();
        return end();
    }

    /** The session goes back to who passes on to it: takes out what waits for that, in order. */
    List<Held> goesBack() {
        ways.followNoMore();
        return held.end();
    }

    /** The copy of it goes that was here: takes out what goes on waiting in the session. */
    List<Held> takeHeld() {
        return held.end();
    }

    /** The same of what has come round. */
    List<Held> takeHeldRound() {
        return heldRound.end();
    }

    /** Whether what comes directly for any of its filters waits to come round. */
    boolean isFollowed() {
        return ways.followed.size() > 0;
    }

    /** Whether what the copy that was here has passed on waits, too: it was not in order. */
    boolean waitsWithCopy() {
        return waitsWithCopy;
    }

    void waitsWithCopy(boolean now) {
        waitsWithCopy = now;
    }

    /** Whether any of that has waited here before. */
    boolean waits() {
        return ways.waits.size() > 0;
    }

    /** Nothing comes round that is older: takes out what has waited for that, in order. */
    List<Held> roundIsComplete() {
        ways.roundIsComplete();
        return held.noMore(ways.followed);
    }

    /** Nobody passes anything on to it: takes out what has waited for that, in order. */
    List<Held> isOldest() {
        ways.roundIsComplete();
        return goesBack();
    }

    /** The same of what has come round by other ways, behind that. */
    List<Held> othersAreComplete() {
        return heldRound.noMore(ways.direct);
    }

    /** Takes out all that waits, in order. */
    List<Held> end() {
        List<Held> all = heldRound.end();
        all.addAll(held.end());
        return all;
    }

    /** Nothing comes directly that is older: takes out what has waited for that, in order. */
    List<Held> directIsComplete() {
        ways.directIsComplete();
        return heldRound.noMore(ways.waits);
    }

    /** The session is back: what it has passed on it has not taken. */
    void comesBack() {
        countIds(-passedOn.size());
        passedOn.clear();
        waitsWithCopy = false; // What it has passed on since came in order.
        ways.comesBack();
    }

    /** The session leaves its shard, or needs this no more: it does not count here any more. */
    void leaveShard() {
        held.leaveShard();
        heldRound.leaveShard();
        countIds(-remembered());
        ways.leaveShard();
    }

    /** It is on this one now. */
    void arrive(ShardLoad now, Shard at) {
        int before = shard;
        load = now;
        shard = at.index();
        held.arrive(now, at, before);
        heldRound.arrive(now, at, before);
        ways.arrive(now);
        countIds(remembered());
    }

    // ---------------------------------------------------------------- what it subscribes to

    /**
     * The session has this filter no more, or anew.
     *
     * @return what waited for that alone, in order
     */
    List<Held> unsubscribed(TopicFilter filter) {
        ways.unsubscribed(filter);
        List<Held> free = heldRound.noMore(ways.direct, ways.waits);
        free.addAll(held.noMore(ways.followed));
        return free;
    }

    // ---------------------------------------------------------------- its publishers

    /** Notes that the queue need not remember a message once it can't be passed on any more. */
    void forgetLater(int ingressServer, long ingressCounter) {
        if (toForget.size() < MAX && toForget.add(new IngressId(ingressServer, ingressCounter))) {
            countIds(1);
        }
    }

    Set<IngressId> toForget() {
        return toForget;
    }
}
