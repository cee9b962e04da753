package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessage.Ask;
import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.Lose;
import io.godwit.cluster.takeover.TakeoverMessage.NotHere;
import io.godwit.cluster.takeover.TakeoverMessage.Offer;
import io.godwit.cluster.takeover.TakeoverMessage.OutOfReach;
import io.godwit.cluster.takeover.TakeoverMessage.Room;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.cluster.takeover.TakeoverMessage.Settled;
import io.godwit.cluster.takeover.TakeoverMessage.Stands;
import io.godwit.cluster.takeover.TakeoverMessage.Take;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.takeover.TakeoverMessage.Void;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.cluster.takeover.TakeoverMessage.Withdraw;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node's part in takeovers between nodes: it claims client ids for its connections ({@link
 * Claims}), gives its sessions to others' claims ({@link Residents}), tells the first anchor of
 * each slot what it has in it ({@link SlotReports}), and grants the claims of the slots that it is
 * the first anchor of itself ({@link GrantTable}). Owned by one shard; time is passed in.
 *
 * <p>Whom to trust: an anchor orders claims, but only the home gives a session, to one claim for
 * each number, and keeps it until that claim's node has all of it. So two nodes that both hold
 * themselves for the anchor can't make two homes of a session that there is; they can make two new
 * sessions of a client id that nobody has while they don't see each other, and then the one with
 * the higher number stays as soon as an anchor hears of both.
 */
public final class Takeovers {
    /** Client ids that one call of {@link #more} looks at, about. */
    private static final int SLICE = 200;

    private final NodeStart self;
    private final BiConsumer<Integer, TakeoverMessage> link;
    private final LocalSessions sessions;
    private final LongSupplier freeBytes;
    private final long timeoutMs;
    private final Residents residents;
    private final Claims claims;
    private final GrantTable table;
    private final SlotReports reports;

    /** By server id: the nodes that there is a link to. */
    private final Map<Integer, NodeStart> linked = new HashMap<>();

    /** Said to this node itself, and not heard yet. */
    private final ArrayDeque<TakeoverMessage> own = new ArrayDeque<>();

    private boolean hearing;

    /** Connections' claims that wait until what was given has come back. */
    private final Map<ClientId, Held> held = new LinkedHashMap<>(0);

    private record Held(ClaimId claim, boolean cleanStart, int onlyFrom) {}

    private volatile @Nullable Drain drain;
    private long nowMs;
    private long takenBack;

    /**
     * @param link sends to a node that there is a link to
     * @param freeBytes how much more the node may hold
     * @param timeoutMs a claim that waits longer for another node is refused
     */
    public Takeovers(
            NodeStart self,
            Anchors anchors,
            LocalSessions sessions,
            BiConsumer<Integer, TakeoverMessage> link,
            LongSupplier freeBytes,
            long timeoutMs,
            Set<TakeoverRule> rules) {
        this.self = self;
        this.link = link;
        this.sessions = sessions;
        this.freeBytes = freeBytes;
        this.timeoutMs = timeoutMs;
        residents = new Residents(anchors, sessions, rules, this::send);
        claims = new Claims(self.server(), anchors, sessions, residents, this::send, timeoutMs);
        table = new GrantTable(self, anchors, rules, this::send);
        table.linked(self);
        reports = new SlotReports(anchors, this::isReached, this::inSlot, this::send);
    }

    // ---------------------------------------------------------------- what this node says

    /** At start, before anything else: a session that was kept. */
    public void recovered(ClientId clientId, long changes) {
        residents.home(clientId, changes, true);
    }

    /**
     * At start: former homes may keep something of the session of this node.
     *
     * @param isFilling not everything of it is here
     */
    public void recoveredFormer(ClientId clientId, List<Former> former, boolean isFilling) {
        residents.formerHomes().put(clientId, former, isFilling);
    }

    /**
     * At start: the same, of one that has ended here, or was set aside.
     *
     * @param isFilling what the last of them has never came here, and is to stay there
     */
    public void recoveredLeft(ClientId clientId, List<Former> former, boolean isFilling) {
        residents.formerHomes().putLeft(clientId, former, isFilling);
    }

    /** At start: the session was given to a claim, and is kept for it. */
    public void recoveredGiven(ClientId clientId, long changes, ClaimId to, byte[] header) {
        residents.given(clientId, changes, to, header);
    }

    /**
     * A connection wants a client id that this node does not have; one of a client id at a time.
     */
    public void claim(ClientId clientId, ClaimId claim, boolean cleanStart) {
        claim(clientId, claim, cleanStart, Claims.FROM_ANY);
    }

    /**
     * The same, or a claim of what another node has offered.
     *
     * @param onlyFrom server id of that node: when it is not the home, the claim is refused
     */
    public void claim(ClientId clientId, ClaimId claim, boolean cleanStart, int onlyFrom) {
        if (claims.has(clientId)) {
            held.put(clientId, new Held(claim, cleanStart, onlyFrom));
        } else {
            claims.begin(clientId, claim, cleanStart, onlyFrom, nowMs);
        }
        hear();
    }

    /**
     * A claim has a session now.
     *
     * @param durable a restart finds it here
     */
    public void settled(ClientId clientId, ClaimId claim, boolean durable) {
        long changes = claims.changes(clientId, claim);
        if (changes != 0) {
            residents.home(clientId, changes, durable);
            claims.settled(clientId, claim);
            afterClaim(clientId);
        }
        hear();
    }

    /**
     * The same for one that came from another node.
     *
     * @param former whom it was to tell, and last the node that it came from. What this node itself
     *     still kept of it has given way to what has come
     */
    public void arrived(ClientId clientId, ClaimId claim, List<Former> former) {
        if (claims.changes(clientId, claim) != 0) {
            List<Former> others = new ArrayList<>(former);
            others.removeIf(each -> each.server() == self.server());
            residents.formerHomes().put(clientId, others, true);
        }
        settled(clientId, claim, true);
        for (Former each : former) {
            if (each.server() == self.server()) {
                residents.returned(clientId, each.changes());
            }
        }
    }

    /** What was given has come back, durably. */
    public void tookBack(ClientId clientId, ClaimId claim, List<Former> former) {
        long changes = claims.changes(clientId, claim);
        if (changes != 0) {
            residents.tookBack(clientId, changes);
            residents.formerHomes().put(clientId, former, false);
            claims.settled(clientId, claim);
            afterClaim(clientId);
        }
        hear();
    }

    /** The connection is gone, and there is no session. */
    public void settledWithout(ClientId clientId, ClaimId claim) {
        claims.settled(clientId, claim);
        afterClaim(clientId);
        hear();
    }

    private void afterClaim(ClientId clientId) {
        Held next = held.remove(clientId);
        if (next != null) {
            claims.begin(clientId, next.claim, next.cleanStart, next.onlyFrom, nowMs);
        }
    }

    public void gaveUp(ClientId clientId, byte @Nullable [] header) {
        residents.gaveUp(clientId, header);
        hear();
    }

    /** The session can't go to the claim that has taken it, and goes on here. */
    public void stays(ClientId clientId) {
        for (ClaimId each : residents.stays(clientId)) {
            send(each.by().server(), new OutOfReach(clientId, each, self.server()));
        }
        hear();
    }

    public void gaveAgain(ClientId clientId) {
        residents.gaveAgain(clientId);
        hear();
    }

    /**
     * Everything of a session that came from another node is here, durably.
     *
     * @param changes number of the grant for which it came
     */
    public void whole(ClientId clientId, long changes) {
        residents.formerHomes().whole(clientId, changes);
        hear();
    }

    /** A session of this node has ended. */
    public void ended(ClientId clientId) {
        residents.ended(clientId);
        hear();
    }

    /** Whether a restart finds the session has changed. */
    public void durable(ClientId clientId, boolean durable) {
        residents.durable(clientId, durable);
        hear();
    }

    /** Another session of this node has taken the place of one that has ended here. */
    public void replaced(ClientId clientId, boolean durable) {
        residents.replaced(clientId, durable);
        hear();
    }

    // ---------------------------------------------------------------- links, time

    /** There is a link to that start of a node; the anchors are those that follow from it. */
    public void linked(NodeStart peer) {
        linked.put(peer.server(), peer);
        table.linked(peer);
        reports.forget(peer.server());
        claims.linked(peer.server());
        residents.formerHomes().linked(peer.server());
        anchorsChanged();
    }

    public void unlinked(NodeStart peer) {
        if (linked.remove(peer.server(), peer)) {
            table.unlinked(peer);
            reports.forget(peer.server());
            anchorsChanged();
        }
    }

    /** Other nodes are first in some slots. */
    public void anchorsChanged() {
        table.anchorsChanged();
        reports.anchorsChanged();
        hear();
    }

    private boolean isReached(int server) {
        return server == self.server() || linked.containsKey(server);
    }

    /** Whether {@link #more} has more to do. */
    public boolean hasMore() {
        return reports.isDue() || table.isDue();
    }

    /** Goes on with what follows from other links and anchors: a slice. */
    public void more() {
        table.decideMore(SLICE);
        reports.tellMore(SLICE);
        hear();
    }

    /** What this node has in a slot, and claims in it. */
    private List<Told> inSlot(int slot) {
        Set<ClientId> all = new LinkedHashSet<>(residents.inSlot(slot));
        for (ClientId claimed : claims.clientIds()) {
            if (Slots.of(claimed) == slot) {
                all.add(claimed);
            }
        }
        List<Told> told = new ArrayList<>(all.size());
        for (ClientId each : all) {
            told.add(new Told(self, each, residents.standing(each), claims.told(each)));
        }
        return told;
    }

    /**
     * Passes the time of what is called next.
     *
     * @param now monotonic milliseconds
     */
    public void now(long now) {
        nowMs = now;
    }

    /**
     * @param now monotonic milliseconds
     */
    public void tick(long now) {
        nowMs = now;
        claims.tick(now);
        for (ClientId each : List.copyOf(held.keySet())) {
            if (!claims.has(each)) {
                afterClaim(each);
            }
        }
        Drain leaving = drain;
        if (leaving != null) {
            leaving.tick(now, linked.keySet());
        }
        hear();
    }

    // ---------------------------------------------------------------- this node leaves

    /**
     * The node leaves: its durable sessions are handed over to others, and it takes none. Once in a
     * start.
     *
     * @param whenOver told once, when nothing more can be done
     */
    public void leave(Consumer<Drained> whenOver) {
        // Longer than a claim that was begun for an offer waits.
        drain = new Drain(residents, this::send, timeoutMs + 1_000, whenOver, nowMs);
    }

    /**
     * Durable sessions that are still to go; -1 while that is not known, and when none are to. Any
     * thread.
     */
    public int leftToDrain() {
        Drain leaving = drain;
        return leaving == null ? -1 : leaving.left();
    }

    private void onRoom(int server, long bytes) {
        Drain leaving = drain;
        if (leaving != null) {
            leaving.onRoom(server, bytes);
        }
    }

    // ---------------------------------------------------------------- what is said to this node

    public void onMessage(NodeStart from, TakeoverMessage message) {
        if (from.equals(linked.get(from.server()))) {
            heard(from, message);
            hear();
        }
    }

    private void send(int server, TakeoverMessage message) {
        if (server == self.server()) {
            own.add(message);
        } else if (linked.containsKey(server)) {
            link.accept(server, message);
        }
    }

    /** What was said to this node itself: behind what it was said in. */
    private void hear() {
        if (hearing) {
            return;
        }
        hearing = true;
        for (TakeoverMessage next = own.poll(); next != null; next = own.poll()) {
            heard(self, next);
        }
        hearing = false;
    }

    private void heard(NodeStart from, TakeoverMessage message) {
        int server = from.server();
        switch (message) {
            case Ask ask -> table.ask(from, ask.clientId(), ask.claim());
            case Settled settled ->
                    table.settled(from, settled.clientId(), settled.claim(), settled.standing());
            case Stands stands -> table.stands(from, stands.clientId(), stands.standing());
            case Tell tell -> table.tell(from, tell);
            case Withdraw withdraw -> table.withdraw(from, withdraw.slots());
            case Granted granted -> {
                claims.granted(server, granted);
                afterRefusal(granted.clientId());
            }
            case OutOfReach refused -> {
                claims.outOfReach(refused.clientId(), refused.claim());
                afterRefusal(refused.clientId());
            }
            case Void given -> takeBack(given.clientId());
            case Lose lose -> residents.lose(lose.clientId(), lose.changes());
            case Take take -> residents.take(take);
            case Header header -> claims.header(server, header);
            case NotHere notHere -> claims.notHere(notHere.clientId(), notHere.claim());
            case Whole whole -> residents.onWhole(server, whole);
            case Dropped dropped -> residents.dropped(server, dropped);
            case RoomWanted wanted ->
                    send(server, new Room(drain == null ? freeBytes.getAsLong() : 0));
            case Room room -> onRoom(server, room.bytes());
            case Offer offer -> {
                if (drain == null) {
                    sessions.offered(offer.clientId(), server);
                }
            }
        }
    }

    private void afterRefusal(ClientId clientId) {
        if (!claims.has(clientId)) {
            afterClaim(clientId);
        }
    }

    private void takeBack(ClientId clientId) {
        if (residents.standing(clientId) instanceof Standing.Given && !claims.has(clientId)) {
            ClaimId claim = new ClaimId(self, -1, ++takenBack);
            claims.begin(clientId, claim, false, self.server(), nowMs);
        }
    }

    // ---------------------------------------------------------------- for people

    public int granting() {
        return table.size();
    }

    public int claiming() {
        return claims.size();
    }
}
