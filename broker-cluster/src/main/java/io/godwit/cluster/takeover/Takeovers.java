package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessage.Ask;
import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.Keep;
import io.godwit.cluster.takeover.TakeoverMessage.Lose;
import io.godwit.cluster.takeover.TakeoverMessage.Missing;
import io.godwit.cluster.takeover.TakeoverMessage.NotHere;
import io.godwit.cluster.takeover.TakeoverMessage.Offer;
import io.godwit.cluster.takeover.TakeoverMessage.Oldest;
import io.godwit.cluster.takeover.TakeoverMessage.OutOfReach;
import io.godwit.cluster.takeover.TakeoverMessage.Over;
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
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A node's part in takeovers between nodes: it claims client ids for its connections ({@link
 * Claims}), gives its sessions to others' claims ({@link Residents}), tells the first two anchors
 * of each slot what it has in it ({@link SlotReports}), and grants the claims of the slots that it
 * is the first anchor of itself ({@link GrantTable}). Owned by one shard; time is passed in.
 *
 * <p>Whom to trust: an anchor orders claims, but only the home gives a session, to one claim for
 * each number, and keeps it until that claim's node has all of it. So two nodes that both hold
 * themselves for the anchor can't make two homes of a session that there is; they can make two new
 * sessions of a client id that nobody has while they don't see each other, and then the one with
 * the higher number stays as soon as an anchor hears of both. A method for each thing that the node
 * and its peers have to tell: hence its length.
 */
public final class Takeovers {
    /** Client ids that one call of {@link #more} looks at, about. */
    private static final int SLICE = 200;

    private final NodeStart self;
    private final Post post;
    private final LocalSessions sessions;
    private final LongSupplier freeBytes;
    private final long timeoutMs;
    private final Residents residents;
    private final Claims claims;
    private final OwnClaims ownClaims;
    private final GrantTable table;
    private final SlotReports reports;
    private final ToldAnchors told;

    private volatile @Nullable Drain drain;
    private long nowMs;

    /**
     * @param link sends to a node that there is a link to
     * @param freeBytes how much more the node may hold
     * @param account told by how many bytes has changed what this part knows of client ids
     * @param timeoutMs a claim that waits longer for another node is refused
     */
    public Takeovers(
            NodeStart self,
            Anchors anchors,
            LocalSessions sessions,
            BiConsumer<Integer, TakeoverMessage> link,
            LongSupplier freeBytes,
            LongConsumer account,
            long timeoutMs,
            Set<TakeoverRule> rules) {
        this.self = self;
        this.sessions = sessions;
        this.freeBytes = freeBytes;
        this.timeoutMs = timeoutMs;
        post = new Post(self, link, this::heard);
        residents = new Residents(anchors, sessions, rules, account, post);
        told = new ToldAnchors(self.server(), anchors, post, this::areTold, timeoutMs);
        claims = new Claims(self.server(), anchors, sessions, residents, told, post, timeoutMs);
        ownClaims = new OwnClaims(self, claims, residents);
        table = new GrantTable(self, anchors, rules, account, post);
        table.linked(self);
        reports =
                new SlotReports(
                        self.server(),
                        anchors,
                        rules,
                        post::reaches,
                        this::inSlot,
                        post::send,
                        told::whenHeard);
    }

    /** Whether nothing is to be told of whole slots. */
    private boolean areTold() {
        return !reports.isDue();
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
    public void claim(ClientId clientId, ClaimId claim, boolean cleanStart, boolean isDurable) {
        claim(clientId, claim, cleanStart, Claims.FROM_ANY, isDurable);
    }

    /**
     * The same, or a claim of what another node has offered.
     *
     * @param onlyFrom server id of that node: when it is not the home, the claim is refused
     * @param isDurable a session that is made for it is to be durable
     */
    public void claim(
            ClientId clientId, ClaimId claim, boolean cleanStart, int onlyFrom, boolean isDurable) {
        ownClaims.make(
                clientId, new OwnClaims.Wanted(claim, cleanStart, onlyFrom, isDurable), nowMs);
        post.hear();
    }

    /**
     * A claim has a session now.
     *
     * @param durable a restart finds it here
     */
    public void settled(ClientId clientId, ClaimId claim, boolean durable) {
        ownClaims.settled(clientId, claim, durable, nowMs);
        post.hear();
    }

    /**
     * The same for one that came from another node.
     *
     * @param former whom it was to tell, and last the node that it came from. What this node itself
     *     still kept of it has given way to what has come
     */
    public void arrived(ClientId clientId, ClaimId claim, List<Former> former) {
        ownClaims.arrived(clientId, claim, former, nowMs);
        post.hear();
        for (Former each : former) {
            if (each.server() == self.server()) {
                residents.returned(clientId, each.changes());
            }
        }
    }

    /** What was given has come back, durably. */
    public void tookBack(ClientId clientId, ClaimId claim, List<Former> former) {
        ownClaims.tookBack(clientId, claim, former, nowMs);
        post.hear();
    }

    /** The connection is gone, and there is no session. */
    public void settledWithout(ClientId clientId, ClaimId claim) {
        ownClaims.over(clientId, claim, nowMs);
        post.hear();
    }

    public void gaveUp(ClientId clientId, byte @Nullable [] header) {
        residents.gaveUp(clientId, header);
        post.hear();
    }

    /** The session can't go to the claim that has taken it, and goes on here. */
    public void stays(ClientId clientId) {
        for (ClaimId each : residents.stays(clientId)) {
            post.send(each.by().server(), new OutOfReach(clientId, each, self.server()));
        }
        post.hear();
    }

    public void gaveAgain(ClientId clientId) {
        residents.gaveAgain(clientId);
        post.hear();
    }

    /**
     * Everything of a session that came from another node is here, durably.
     *
     * @param changes number of the grant for which it came
     */
    public void whole(ClientId clientId, long changes) {
        residents.formerHomes().whole(clientId, changes);
        post.hear();
    }

    /** A session of this node has ended. */
    public void ended(ClientId clientId) {
        residents.ended(clientId);
        post.hear();
    }

    /** Whether a restart finds the session has changed. */
    public void durable(ClientId clientId, boolean durable) {
        residents.durable(clientId, durable);
        post.hear();
    }

    /** Another session of this node has taken the place of one that has ended here. */
    public void replaced(ClientId clientId, boolean durable) {
        residents.replaced(clientId, durable);
        post.hear();
    }

    // ---------------------------------------------------------------- links, time

    /** There is a link to that start of a node; the anchors are those that follow from it. */
    public void linked(NodeStart peer) {
        post.linked(peer);
        table.linked(peer);
        reports.forget(peer.server());
        claims.linked(peer.server());
        told.again(peer.server());
        residents.formerHomes().linked(peer.server());
        anchorsChanged();
        reports.linked(peer.server());
    }

    public void unlinked(NodeStart peer) {
        if (post.unlinked(peer)) {
            table.unlinked(peer);
            reports.forget(peer.server());
            told.again(peer.server());
            anchorsChanged();
            post.others().forEach(each -> post.send(each, new Missing(peer.server())));
        }
    }

    /** Other nodes are first in some slots. */
    public void anchorsChanged() {
        table.anchorsChanged();
        reports.anchorsChanged();
        post.hear();
    }

    /** Some nodes do not belong to the cluster any more, or belong to it again. */
    public void forgotten(Forgotten now) {
        table.forgotten(now).forEach(residents.formerHomes()::forget);
        post.hear();
    }

    /** Durable sessions of a node that this one knows of as the first anchor of their slots. */
    public long homesAt(int server) {
        return table.homesAt(server);
    }

    /** Whether {@link #more} has more to do. */
    public boolean hasMore() {
        return residents.formerHomes().isForgetting() || reports.isDue() || table.isDue();
    }

    /** Goes on with what follows from other links and anchors: a slice. */
    public void more() {
        if (residents.formerHomes().isForgetting()) {
            residents.forgetMore(SLICE);
        } else if (table.isDue()) {
            table.decideMore(SLICE);
        } else {
            // Behind all that is passed on: then a new anchor has heard of nodes that are away.
            reports.tellMore(SLICE);
        }
        told.look();
        post.hear();
    }

    /** What this node has in a slot, and claims in it. */
    private List<Told> inSlot(int slot) {
        Set<ClientId> all = residents.inSlot(slot);
        all.addAll(claims.inSlot(slot));
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
        told.now(now);
    }

    /**
     * @param now monotonic milliseconds
     */
    public void tick(long now) {
        now(now);
        claims.tick(now);
        ownClaims.tick(nowMs);
        Drain leaving = drain;
        if (leaving != null) {
            leaving.tick(now, post.others());
        }
        told.tick();
        post.hear();
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
        drain = new Drain(residents, post, timeoutMs + 1_000, whenOver, nowMs);
    }

    /**
     * Durable sessions that are still to go; -1 while that is not known, and when none are to. Any
     * thread.
     */
    public int leftToDrain() {
        Drain leaving = drain;
        return leaving == null ? -1 : leaving.left();
    }

    private void onRoom(int server, Room room) {
        told.heard(server, room.question());
        Drain leaving = drain;
        if (leaving != null) {
            leaving.onRoom(server, room.bytes());
        }
    }

    private void onRoomWanted(int server, RoomWanted wanted) {
        long free = drain == null ? freeBytes.getAsLong() : 0;
        post.send(server, new Room(free, wanted.question()));
    }

    // ---------------------------------------------------------------- what is said to this node

    public void onMessage(NodeStart from, TakeoverMessage message) {
        if (post.isLinked(from)) {
            heard(from, message);
            post.hear();
        }
    }

    private void heard(NodeStart from, TakeoverMessage message) {
        int server = from.server();
        switch (message) {
            case Ask ask -> table.ask(from, ask.clientId(), ask.claim());
            case Settled settled ->
                    table.settled(from, settled.clientId(), settled.claim(), settled.standing());
            case Stands stands -> table.stands(from, stands.clientId(), stands.standing());
            case Tell tell -> table.tell(from, tell);
            case Keep keep -> table.keep(from, keep);
            case Withdraw withdraw -> table.withdraw(from, withdraw);
            case Missing missing -> table.missing(from, missing.server());
            case Granted granted -> {
                claims.granted(server, granted);
                ownClaims.mayBeOver(granted.clientId(), nowMs);
            }
            case OutOfReach refused -> {
                claims.outOfReach(refused.clientId(), refused.claim());
                ownClaims.mayBeOver(refused.clientId(), nowMs);
            }
            case Void given -> ownClaims.takeBack(given.clientId(), nowMs);
            case Lose lose -> residents.lose(lose.clientId(), lose.changes());
            case Take take -> residents.take(take);
            case Header header -> claims.header(server, header);
            case NotHere notHere -> claims.notHere(notHere.clientId(), notHere.claim());
            case Whole whole -> residents.onWhole(server, whole);
            case Oldest oldest -> sessions.oldest(oldest.clientId(), oldest.changes());
            case Over over -> sessions.over(over.clientId(), over.publishes());
            case Dropped dropped -> residents.dropped(server, dropped);
            case RoomWanted wanted -> onRoomWanted(server, wanted);
            case Room room -> onRoom(server, room);
            case Offer offer -> {
                if (drain == null) {
                    sessions.offered(offer.clientId(), server);
                }
            }
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
