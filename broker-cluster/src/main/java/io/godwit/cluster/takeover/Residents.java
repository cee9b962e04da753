package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.Resident.Place;
import io.godwit.cluster.takeover.Resident.State;
import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.NotHere;
import io.godwit.cluster.takeover.TakeoverMessage.Settled;
import io.godwit.cluster.takeover.TakeoverMessage.Stands;
import io.godwit.cluster.takeover.TakeoverMessage.Take;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/** The sessions that this node has, or has given up and still keeps. */
final class Residents {
    private final Anchors anchors;
    private final LocalSessions sessions;
    private final Set<TakeoverRule> rules;
    private final Out out;

    private final ResidentsBySlot all;
    private final FormerHomes formerHomes;
    private final ComingSessions coming = new ComingSessions();
    private boolean isLeaving;

    /**
     * @param account told by how many bytes what is here has changed
     */
    Residents(
            Anchors anchors,
            LocalSessions sessions,
            Set<TakeoverRule> rules,
            LongConsumer account,
            Out out) {
        this.anchors = anchors;
        this.sessions = sessions;
        this.rules = rules;
        this.out = out;
        all = new ResidentsBySlot(account);
        formerHomes = new FormerHomes(sessions, account, out);
    }

    Standing standing(ClientId clientId) {
        Standing soon = coming.standing(clientId);
        if (soon != null) {
            return soon;
        }
        Resident resident = all.find(clientId);
        if (resident != null) {
            return resident.standing();
        }
        long changes = formerHomes.changes(clientId);
        return changes == 0 ? Standing.NOTHING : new Standing.Ended(changes);
    }

    /** Client ids with a standing. */
    Set<ClientId> inSlot(int slot) {
        Set<ClientId> ids = new LinkedHashSet<>(all.inSlot(slot).keySet());
        ids.addAll(coming.inSlot(slot));
        ids.addAll(formerHomes.inSlot(slot));
        return ids;
    }

    // ---------------------------------------------------------------- this node leaves

    /** The node leaves from now on. */
    void leave() {
        isLeaving = true;
    }

    /** What a restart would find here of a slot, homes and given ones. */
    List<ClientId> durable(int slot) {
        List<ClientId> ids = new ArrayList<>();
        all.inSlot(slot)
                .forEach((clientId, resident) -> {
                    if (resident.durable) {
                        ids.add(clientId);
                    }
                });
        return ids;
    }

    /** See {@link Resident#place}. */
    Place place(ClientId clientId, Set<Integer> linked) {
        Resident resident = all.find(clientId);
        return resident == null ? Place.NOWHERE : resident.place(linked);
    }

    /**
     * @param wasDurable what the anchors know until now
     */
    private void tellAnchors(ClientId clientId, boolean wasDurable) {
        Standing now = standing(clientId);
        out.send(anchors.first(Slots.of(clientId)), new Stands(clientId, now));
        if (wasDurable || now.durable()) {
            tellSecond(clientId, now);
        }
    }

    /** The second anchor knows what is durable: it matters when this node is dead. */
    private void tellSecond(ClientId clientId, Standing now) {
        int second = anchors.second(Slots.of(clientId));
        if (second != Anchors.NOBODY && rules.contains(TakeoverRule.TWO_ANCHORS)) {
            out.send(second, new Stands(clientId, now.durable() ? now : Standing.NOTHING));
        }
    }

    // ---------------------------------------------------------------- it comes and ends

    /** A durable session is to be made here, and the anchors are to know that before it is. */
    void comes(ClientId clientId, long changes) {
        coming.add(clientId, changes);
        tellAnchors(clientId, false);
    }

    /** The claim is over; how it has ended is the client id's standing. */
    void settled(ClientId clientId, ClaimId claim) {
        boolean wasComing = coming.remove(clientId);
        Standing now = standing(clientId);
        out.send(anchors.first(Slots.of(clientId)), new Settled(clientId, claim, now));
        if (wasComing
                || now.durable()
                || all.hasBehind(clientId)
                || formerHomes.changes(clientId) != 0) {
            tellSecond(clientId, now);
        }
    }

    /** The session of a claim is here; not told before the claim is settled. */
    void home(ClientId clientId, long changes, boolean durable) {
        all.put(clientId, new Resident(changes, durable));
    }

    /** What was given has come back. */
    void tookBack(ClientId clientId, long changes) {
        Resident given = all.find(clientId);
        if (given != null && given.state == State.GIVEN) {
            all.tookBack(given, changes).forEach(this::notHere);
        }
    }

    /** At start: it was given for that grant. */
    void given(ClientId clientId, long changes, ClaimId to, byte[] header) {
        Resident resident = new Resident(changes, true);
        resident.to = new Take(clientId, to, changes, 0, false);
        resident.given(changes, header);
        Resident other = all.find(clientId);
        if (other != null && (other.state != State.GIVEN || other.changes > changes)) {
            all.putBehind(clientId, resident);
        } else {
            all.put(clientId, resident);
        }
    }

    /** A session of this node is, or is no more, one that a restart finds. */
    void durable(ClientId clientId, boolean durable) {
        Resident resident = all.find(clientId);
        if (resident != null && resident.durable != durable && resident.state == State.HOME) {
            resident.durable = durable;
            tellAnchors(clientId, true);
        }
    }

    /** The client id stays here, and what a former home keeps of the session that ended may go. */
    void replaced(ClientId clientId, boolean durable) {
        formerHomes.ended(clientId);
        durable(clientId, durable);
    }

    void ended(ClientId clientId) {
        Resident resident = all.find(clientId);
        if (resident != null && resident.state == State.HOME) {
            all.remove(clientId);
            formerHomes.ended(clientId);
            tellAnchors(clientId, resident.durable);
        }
    }

    void lose(ClientId clientId, long changes) {
        Resident resident = all.find(clientId);
        if (resident != null && resident.state == State.HOME && resident.changes <= changes) {
            all.remove(clientId);
            formerHomes.setAside(clientId);
            sessions.lose(clientId);
            tellAnchors(clientId, resident.durable);
        }
    }

    /** What was given for that grant is here again, as the session. */
    void returned(ClientId clientId, long changes) {
        all.removeBehind(clientId, given -> given.changes == changes);
    }

    // ---------------------------------------------------------------- it is taken

    void take(Take take) {
        Resident resident = all.find(take.clientId());
        if (resident == null) {
            notHere(take);
            return;
        }
        switch (resident.state) {
            case HOME -> {
                if (isAbove(take, resident)) {
                    resident.state = State.LEAVING;
                    resident.to = take;
                    sessions.giveUp(
                            take.clientId(),
                            take.claim(),
                            take.changes(),
                            take.cleanStart(),
                            formerHomes.of(take.clientId()));
                } else {
                    notHere(take);
                }
            }
            case LEAVING -> {
                Take to = resident.to;
                if (to == null || !to.claim().equals(take.claim())) {
                    waits(resident, take);
                }
            }
            case GIVEN -> takeGiven(resident, take);
        }
    }

    private boolean isAbove(Take take, Resident resident) {
        return take.changes() > resident.changes || !rules.contains(TakeoverRule.NUMBERS);
    }

    private void takeGiven(Resident resident, Take take) {
        Take to = resident.to;
        boolean isSame = to != null && to.claim().equals(take.claim());
        boolean isVoid =
                take.voidUpTo() >= resident.changes || !rules.contains(TakeoverRule.GIVEN_ONCE);
        if (isSame) {
            header(take, resident.header());
        } else if (isVoid && isAbove(take, resident) && resident.next == null) {
            // To be kept before it leaves: a restart must not give it to the former one again.
            resident.next = take;
            sessions.giveAgain(take.clientId(), resident.changes, take.claim(), take.changes());
        } else if (resident.next == null) {
            notHere(take);
        } else if (!resident.next.claim().equals(take.claim())) {
            waits(resident, take);
        }
    }

    private void waits(Resident resident, Take take) {
        Take other = resident.waits(take);
        if (other != null && !other.claim().equals(take.claim())) {
            notHere(other);
        }
    }

    /** It is kept that what was given is another claim's now. */
    void gaveAgain(ClientId clientId) {
        Resident resident = all.find(clientId);
        Take next = resident == null ? null : resident.next;
        if (resident != null && resident.state == State.GIVEN && next != null) {
            resident.next = null;
            resident.to = next;
            resident.changes = next.changes();
            tellAnchors(clientId, resident.durable);
            header(next, resident.header());
            resident.noMoreWait().forEach(this::take);
        }
    }

    /**
     * The session does not go.
     *
     * @return the claims that have taken it, which are to be refused
     */
    List<ClaimId> stays(ClientId clientId) {
        Resident resident = all.find(clientId);
        if (resident == null || resident.state != State.LEAVING) {
            return List.of();
        }
        List<ClaimId> refused = new ArrayList<>(2);
        Take to = resident.to;
        if (to != null) {
            refused.add(to.claim());
        }
        resident.noMoreWait().forEach(each -> refused.add(each.claim()));
        resident.state = State.HOME;
        resident.to = null;
        resident.isBound = isLeaving;
        return refused;
    }

    /**
     * The session has stopped, durably.
     *
     * @param header null when it has ended
     */
    void gaveUp(ClientId clientId, byte @Nullable [] header) {
        Resident resident = all.find(clientId);
        Take to = resident == null ? null : resident.to;
        if (resident == null || resident.state != State.LEAVING || to == null) {
            return;
        }
        List<Take> waiting = resident.noMoreWait();
        if (header == null) {
            all.remove(clientId);
            formerHomes.ended(clientId);
        } else {
            all.given(resident, to.changes(), header);
            formerHomes.leave(clientId);
        }
        tellAnchors(clientId, resident.durable);
        header(to, header);
        waiting.forEach(this::take);
    }

    private void header(Take to, byte @Nullable [] header) {
        out.send(to.claim().by().server(), new Header(to.clientId(), to.claim(), header));
    }

    private void notHere(Take take) {
        out.send(take.claim().by().server(), new NotHere(take.clientId(), take.claim()));
    }

    // ---------------------------------------------------------------- what former homes keep

    FormerHomes formerHomes() {
        return formerHomes;
    }

    /** Goes on with what nodes that are forgotten keep as former homes: a slice. */
    void forgetMore(int most) {
        for (ClientId each : formerHomes.forgetMore(most)) {
            if (all.find(each) == null) {
                tellAnchors(each, true);
            }
        }
    }

    void dropped(int from, Dropped dropped) {
        if (formerHomes.dropped(from, dropped) && all.find(dropped.clientId()) == null) {
            tellAnchors(dropped.clientId(), true);
        }
    }

    void onWhole(int from, Whole whole) {
        ClientId clientId = whole.clientId();
        Resident resident = all.find(clientId);
        if (resident != null && resident.isGivenFor(whole.changes())) {
            tellNext(from, resident, whole);
            all.remove(clientId);
            sessions.drop(clientId, whole.changes());
            tellAnchors(clientId, true);
        } else if (all.removeBehind(clientId, each -> each.isGivenFor(whole.changes()))) {
            sessions.drop(clientId, whole.changes());
        }
        out.send(from, new Dropped(whole.clientId(), whole.changes()));
    }

    /**
     * The session has gone on from where it went, and is passed on what was sent after it there.
     */
    private void tellNext(int from, Resident given, Whole whole) {
        Take to = given.to;
        if (to != null && to.claim().by().server() != from) {
            out.send(to.claim().by().server(), new Dropped(whole.clientId(), whole.changes()));
        }
    }
}
