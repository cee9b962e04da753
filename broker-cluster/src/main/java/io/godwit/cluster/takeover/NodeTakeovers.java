package io.godwit.cluster.takeover;

import io.godwit.cluster.membership.Slots;
import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.cluster.takeover.TakeoverMessages.Page;
import io.godwit.cluster.takeover.TakeoverMessages.PageRequest;
import io.godwit.cluster.transport.Forgotten;
import io.godwit.cluster.transport.MessageHandler;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.core.id.IngressId;
import io.godwit.core.node.Broker;
import io.godwit.core.node.BrokerShard;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.takeover.Answers;
import io.godwit.core.takeover.FullHomes;
import io.godwit.core.takeover.Homes;
import io.godwit.core.takeover.Registrar;
import io.godwit.core.time.Timer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A broker's part in takeovers between nodes, wired: {@link Takeovers} on the shard that owns the
 * topic index, the sessions of all shards as {@link NodeSessions}, what those say as {@link
 * ShardHomes}, what goes after sessions as {@link NodeForwards}, and links.
 *
 * <p>In this order: made; {@link #homes} is given to the broker's shards; {@link #attach}; the
 * broker recovers what it has kept; {@link #start}.
 *
 * <p>A method for each word that passes between these, most of a few lines: hence its length.
 */
public final class NodeTakeovers implements MessageHandler {
    private static final long TICK_MS = 100;

    /** Publishes that are said to be over in one message. */
    private static final int PIECE = 4_096;

    private final long peerTimeoutMs;
    private final Set<TakeoverRule> rules;
    private final Map<Integer, Answers> answers = new HashMap<>();
    private @Nullable Broker broker;
    private @Nullable NodeStart self;
    private @Nullable Takeovers takeovers;
    private @Nullable LastWord ways;
    private @Nullable LastWords lastWords;
    private @Nullable RoundWaits roundWaits;

    // What follows belongs to the shard that owns the topic index.
    private final Map<Integer, PeerLink> links = new HashMap<>();
    private final NodeForwards forwards = new NodeForwards(this);
    private final PageRequests pages = new PageRequests(this);
    private Slots linked = new Slots(Set.of());
    private Forgotten forgotten = Forgotten.NOBODY;
    private boolean goesOn;

    /**
     * @param peerTimeoutMs a CONNECT that waits longer for another node is refused; and so long
     *     what a former home keeps is kept, since messages may be on their way there
     */
    public NodeTakeovers(long peerTimeoutMs) {
        this(peerTimeoutMs, TakeoverRule.ALL);
    }

    NodeTakeovers(long peerTimeoutMs, Set<TakeoverRule> rules) {
        this.peerTimeoutMs = peerTimeoutMs;
        this.rules = rules;
    }

    // ---------------------------------------------------------------- wiring

    /** What the shards of the broker are made with. */
    public Homes.Maker homes() {
        return (shard, to) -> {
            answers.put(shard, to);
            return new ShardHomes(this, shard);
        };
    }

    /** Which messages come here. */
    public static MessageType[] messages() {
        return TakeoverMessages.types();
    }

    /** Whether it is one of these. */
    public static boolean handles(MessageType type) {
        return List.of(TakeoverMessages.types()).contains(type);
    }

    /**
     * Called once, before the broker recovers what it has kept.
     *
     * @param between what is on its way between nodes
     */
    public void attach(Broker made, NodeStart of, LastWord between) {
        broker = made;
        ways = between;
        roundWaits = new RoundWaits(between, this::linkedStart, this::whenPassedOn);
        lastWords = new LastWords(between, made.shard(TopicIndex.OWNER).rules());
        self = of;
        anchor();
        takeovers =
                new Takeovers(
                        of,
                        this::anchor,
                        new NodeSessions(this),
                        this::send,
                        made.context().load().memory()::freeBytes,
                        owner().load()::sessionBytes,
                        peerTimeoutMs,
                        rules);
    }

    /** The broker's shards run. */
    public void start() {
        onOwner(Takeovers::anchorsChanged);
        owner().execute(this::arm);
    }

    private void arm() {
        BrokerShard at = owner();
        at.timers()
                .arm(
                        new Timer() {
                            @Override
                            protected void onTimer(long nowMs) {
                                takeovers().tick(nowMs);
                                retry();
                                goOn();
                                at.timers().arm(this, nowMs + TICK_MS);
                            }
                        },
                        at.nowMs() + TICK_MS);
    }

    /** Hands the node's durable sessions over to others. @see Takeovers#leave */
    public void leave(Consumer<Drained> whenOver) {
        onOwner(to -> to.leave(whenOver));
    }

    /** See {@link Takeovers#leftToDrain}. */
    public int leftToDrain() {
        Takeovers attached = takeovers;
        return attached == null ? -1 : attached.leftToDrain();
    }

    NodeStart self() {
        return Objects.requireNonNull(self);
    }

    Takeovers takeovers() {
        return Objects.requireNonNull(takeovers);
    }

    private LastWord ways() {
        return Objects.requireNonNull(ways);
    }

    private void whenPassedOn(Runnable task) {
        owner().timers()
                .arm(Timer.of(nowMs -> task.run()), owner().nowMs() + RoundWaits.PASS_ON_MS);
    }

    private LastWords lastWords() {
        return Objects.requireNonNull(lastWords);
    }

    /** By mail. */
    void onOwner(Consumer<Takeovers> word) {
        owner().execute(() -> {
            takeovers().now(owner().nowMs());
            word.accept(takeovers());
            goOn();
        });
    }

    /** What links and anchors ask for, slice by slice. */
    private void goOn() {
        if (!goesOn && takeovers().hasMore()) {
            goesOn = true;
            owner().slice(() -> {
                takeovers().more();
                goesOn = takeovers().hasMore();
                return !goesOn;
            });
        }
    }

    void onShard(int shard, Runnable task) {
        shard(shard).execute(task);
    }

    /** Which sessions have gone from here and must get no more for now. */
    public FullHomes fullHomes() {
        return forwards.room();
    }

    NodeForwards forwards() {
        return forwards;
    }

    /** Where most of this belongs: the shard that owns the topic index. */
    BrokerShard owner() {
        return shard(TopicIndex.OWNER);
    }

    BrokerShard shard(int index) {
        return Objects.requireNonNull(broker).shard(index);
    }

    /** By mail to the shard of the client id's registrar. */
    void answer(ClientId clientId, Consumer<Answers> word) {
        int shard = Registrar.shardOf(clientId, answers.size());
        onShard(shard, () -> word.accept(Objects.requireNonNull(answers.get(shard))));
    }

    // ---------------------------------------------------------------- links

    /** There is a link, or its peer is heard again. On any thread. */
    public void onLinked(PeerLink link, boolean isHeardAgain) {
        owner().execute(() -> {
            int server = link.peer().server();
            links.put(server, link);
            if (isHeardAgain) {
                link.offer(TakeoverMessages.of(TakeoverMessages.LINKED_AGAIN, new ByteWriter(1)));
            }
            anchor();
            lastWords().linked(link.peer());
            takeovers().linked(link.peer());
            forwards.linked(server);
            goOn();
            answers.forEach((shard, to) -> onShard(shard, () -> to.linked(server)));
        });
    }

    /** A link has ended, or nobody waits for its peer any more. On any thread. */
    public void onUnlinked(PeerLink link) {
        owner().execute(() -> {
            if (links.remove(link.peer().server(), link)) {
                anchor();
                takeovers().unlinked(link.peer());
                goOn();
            }
        });
    }

    /** Some nodes do not belong to the cluster any more, or belong to it again. On any thread. */
    public void forgotten(Forgotten now) {
        onOwner(to -> {
            forgotten = now;
            to.forgotten(now);
        });
    }

    /** See {@link Takeovers#homesAt}. On the shard that owns the topic index. */
    public long homesAt(int server) {
        Takeovers attached = takeovers;
        return attached == null ? 0 : attached.homesAt(server);
    }

    /** The linked nodes in each slot's order. */
    private void anchor() {
        Set<Integer> reached = new HashSet<>(links.keySet());
        reached.add(self().server());
        linked = new Slots(reached);
    }

    private int anchor(int slot, int rank) {
        int[] order = linked.order(slot);
        return rank < order.length ? order[rank] : Anchors.NOBODY;
    }

    /** The link to a node, by server id; null when there is none. At the owner. */
    @Nullable PeerLink link(int server) {
        return links.get(server);
    }

    private @Nullable NodeStart linkedStart(int server) {
        PeerLink link = link(server);
        return link == null ? null : link.peer();
    }

    private void send(int server, TakeoverMessage message) {
        if (message instanceof TakeoverMessage.Whole whole) {
            offer(server, new TakeoverMessage.Oldest(whole.clientId(), whole.changes()));
            lastWords().whenClear(server, whole, () -> offer(server, message));
        } else {
            offer(server, message);
        }
    }

    private void offer(int server, TakeoverMessage message) {
        PeerLink link = links.get(server);
        if (link != null) {
            link.offer(TakeoverMessages.of(message));
        }
    }

    // ---------------------------------------------------------------- what shards say

    /** A session has come from another node. */
    void arrived(ClientId clientId, ClaimId claim, List<Former> former) {
        onOwner(to -> {
            lastWords().arrived(clientId, former);
            to.arrived(clientId, claim, former);
        });
    }

    /** Former homes hear of it a little later, when nothing is on its way to them any more. */
    void whole(ClientId clientId, long changes) {
        owner().execute(() ->
                owner().timers()
                        .arm(
                                Timer.of(nowMs -> takeovers().whole(clientId, changes)),
                                owner().nowMs() + peerTimeoutMs));
    }

    void askForPage(int server, PageRequest wanted) {
        owner().execute(() -> {
            PeerLink link = links.get(server);
            if (link != null) {
                link.offer(TakeoverMessages.of(wanted));
            }
        });
    }

    /** See {@link io.godwit.core.takeover.Homes#whenNothingComes}. */
    void whenNothingComes(Object what, Runnable task) {
        owner().execute(() -> ways().whenClear(self().server(), what, task));
    }

    /** See {@link io.godwit.core.takeover.Homes#whenNothingComesAgain}. */
    void whenNothingComesAgain(Object what, Runnable task) {
        owner().execute(() -> ways().whenAnswered(self().server(), what, task));
    }

    /** See {@link io.godwit.core.takeover.Homes#whenComeRound}. */
    void whenComeRound(List<Integer> inOrder, Consumer<Boolean> task) {
        owner().execute(() -> Objects.requireNonNull(roundWaits).whenComeRound(inOrder, task));
    }

    /** A link takes more. On any thread. */
    public void onRoom() {
        owner().execute(this::retry);
    }

    private void retry() {
        forwards.retry();
        pages.retry(each -> each.equals(links.get(each.peer().server())));
    }

    // ---------------------------------------------------------------- messages

    @Override
    public boolean onMessage(PeerLink from, MessageType type, ByteReader body, int length) {
        if (type.equals(TakeoverMessages.TAKEOVER)) {
            TakeoverMessage message = TakeoverCodec.read(body.u8(), body);
            if (message != null) { // Else of a later version.
                onOwner(to -> heard(from, to, message));
            }
        } else if (type.equals(TakeoverMessages.LINKED_AGAIN)) {
            onOwner(to -> {
                to.unlinked(from.peer());
                to.linked(from.peer());
            });
        } else if (type.equals(TakeoverMessages.PAGE_WANTED)) {
            PageRequest wanted = PageRequest.read(body);
            owner().execute(() -> pages.ask(from, wanted));
        } else if (type.equals(TakeoverMessages.PAGE)) {
            Page page = Page.read(body);
            answer(page.clientId(), to -> to.page(page.clientId(), page.changes(), page.page()));
        } else if (type.equals(TakeoverMessages.FORWARD)) {
            forwards.arrived(from, Forward.read(body));
        } else if (type.equals(TakeoverMessages.FORWARDED)) {
            forwards.forwarded(body.varint(), body.u8() != 0);
        } else {
            throw new IndexOutOfBoundsException("not of takeovers: " + type);
        }
        return true;
    }

    private void heard(PeerLink from, Takeovers to, TakeoverMessage message) {
        if (message instanceof TakeoverMessage.Dropped dropped) {
            lastWords().dropped(from.peer().server(), dropped);
        }
        if (message instanceof TakeoverMessage.Whole whole) {
            // Whoever has all of it is told when nothing more goes after it.
            Consumer<Set<IngressId>> withdrawn =
                    over ->
                            onOwner(later -> {
                                sayOver(from.peer().server(), whole, over);
                                withdrawn(from, later, whole);
                            });
            answer(
                    whole.clientId(),
                    at -> at.withdraw(whole.clientId(), whole.changes(), withdrawn));
        } else {
            to.onMessage(from.peer(), message);
        }
    }

    /** In pieces: there may be tens of thousands. */
    private void sayOver(int server, TakeoverMessage.Whole whole, Set<IngressId> over) {
        List<IngressId> all = List.copyOf(over);
        for (int i = 0; i < all.size(); i += PIECE) {
            List<IngressId> some = all.subList(i, Math.min(all.size(), i + PIECE));
            offer(server, new TakeoverMessage.Over(whole.clientId(), whole.changes(), some));
        }
    }

    private void withdrawn(PeerLink from, Takeovers to, TakeoverMessage.Whole whole) {
        int asks = from.peer().server();
        forwards.pastForgotten(whole.clientId(), whole.changes(), forgotten.servers(), asks);
        Runnable again = () -> onOwner(later -> later.onMessage(from.peer(), whole));
        if (!forwards.whenDone(whole.clientId(), whole.changes(), asks, again)) {
            to.onMessage(from.peer(), whole);
        }
    }
}
