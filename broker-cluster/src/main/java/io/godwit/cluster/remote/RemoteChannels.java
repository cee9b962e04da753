package io.godwit.cluster.remote;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.connection.Placement;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Property;
import io.godwit.core.shard.PacedTasks;
import io.godwit.core.shard.Turns;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The edge's side of one shard: opens channels to leaders for clients that are connected here. On
 * the shard's thread.
 */
public final class RemoteChannels {
    /** Clients whose sockets are closed in one slice, since their leader is gone. */
    private static final int CLOSES = 20;

    private final ChannelContext context;
    private final WindowBudget budget;
    private final PeerTable<RemotePipe> leaders;
    private final PacedTasks closes;

    /** Those whose socket has not taken everything: looked at once a tick. */
    private List<RemotePipe> slow = new ArrayList<>(0);

    private long channelCount;

    public RemoteChannels(ChannelContext context) {
        this.context = context;
        ChannelAccount account = context.account();
        budget = new WindowBudget(Marks.TO_CLIENT, account, account::edgeWindowsMax);
        leaders = new PeerTable<>(Records.FROM_EDGE, context, this::lost);
        closes = new PacedTasks(context.turns(), CLOSES);
    }

    /**
     * Asks a node to run a connection.
     *
     * @param leader start of a node; without a link to it the answer is {@code unreachable}
     * @param opening is called once, perhaps before this returns
     */
    public Placement.Question open(
            NodeStart leader, AuthenticatedConnect connect, Opening opening) {
        Peer<RemotePipe> peer = leaders.of(leader);
        if (peer == null) {
            opening.unreachable();
            return () -> {};
        }
        long number = ++channelCount << Records.SHARD_BITS | context.shard();
        int slot = connect.clientId().slot();
        Packet.Connect packet = connect.connect();
        long packetBytesMax =
                packet.version().isV5()
                        ? packet.properties()
                                .number(Property.MAXIMUM_PACKET_SIZE, Integer.MAX_VALUE)
                        : 0;
        RemotePipe pipe = new RemotePipe(this, peer, number, slot, packetBytesMax, opening);
        peer.channels.put(number, pipe);
        ByteWriter body = new ByteWriter(256);
        context.connects().write(connect, body);
        ByteWriter to =
                peer.shards == 0 ? peer.post.toSlot(slot) : peer.post.toShard(slot % peer.shards);
        to.u8(Records.OPEN).varint(number).varint(slot);
        to.varint(body.length()).range(body.array(), 0, body.length());
        if (peer.shards == 0) {
            peer.post.seal(to);
        }
        return pipe;
    }

    /**
     * Ends channels to nodes that do not lead their slots any more. The sockets of their clients
     * are closed, some at a time.
     *
     * @param leaders server ids of those that lead slots by now, by slot
     * @param takenOver the slots of these that were taken over; the others were given
     */
    public void onOtherLeaders(Map<Integer, Integer> leaders, BitSet takenOver) {
        for (Peer<RemotePipe> peer : List.copyOf(this.leaders.all())) {
            List<RemotePipe> former = new ArrayList<>();
            for (RemotePipe each : peer.channels.values()) {
                Integer leader = leaders.get(each.slot);
                if (leader != null && leader != peer.start.server()) {
                    former.add(each);
                }
            }
            former.forEach(each -> each.onOtherLeader(takenOver.get(each.slot)));
        }
    }

    /**
     * Ends all connections, some at a time, since this node stops.
     *
     * @param disconnect the packet that tells clients of MQTT 5.0 so
     */
    void endAll(byte[] disconnect) {
        for (Peer<RemotePipe> peer : leaders.all()) {
            for (RemotePipe each : new ArrayList<>(peer.channels.values())) {
                closes.add(() -> each.endHere(disconnect));
            }
        }
    }

    /** What is counted of this shard, in both roles; any thread reads. */
    public ChannelCounters counters() {
        return context.counters();
    }

    // ---------------------------------------------------------------- links

    public void onUp(PeerLink link, Resumed resumed) {
        Peer<RemotePipe> peer = leaders.onUp(link, resumed);
        tellChannels(peer);
        checkReading(peer);
    }

    /** Has the leader compare what both sides have: what only one has ends there. */
    private void tellChannels(Peer<RemotePipe> peer) {
        ByteWriter to = peer.post.toAll();
        to.u8(Records.CHANNELS).varint(context.shard()).varint(peer.channels.size());
        for (RemotePipe each : peer.channels.values()) {
            to.varint(each.number).varint(each.slot);
        }
        peer.post.seal(to);
    }

    public void onSilent(PeerLink link) {
        silent(link, true);
    }

    public void onHeard(PeerLink link) {
        silent(link, false);
    }

    private void silent(PeerLink link, boolean silent) {
        Peer<RemotePipe> peer = leaders.of(link.peer());
        if (peer != null) {
            peer.post.onSilent(silent);
            checkReading(peer);
        }
    }

    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        leaders.onDown(link, unconfirmed);
    }

    public void onRoom(PeerLink link) {
        Peer<RemotePipe> peer = leaders.of(link.peer());
        if (peer != null && peer.isLinked) {
            peer.post.onRoom();
            checkReading(peer);
        }
    }

    /** Sockets are read again; those that are not to be read stop when something comes. */
    private static void checkReading(Peer<RemotePipe> peer) {
        if (!peer.post.isStill()) {
            peer.channels.values().forEach(RemotePipe::checkReading);
        }
    }

    private void lost(Peer<RemotePipe> peer) {
        for (RemotePipe each : new ArrayList<>(peer.channels.values())) {
            each.onLost();
        }
    }

    // ---------------------------------------------------------------- time

    /** Time has passed: called about every 100 ms. */
    public void tick(long nowMs) {
        leaders.tick(nowMs);
        for (Peer<RemotePipe> each : leaders.all()) {
            if (each.post.offerAgain()) {
                checkReading(each);
            }
        }
        budget.tick(nowMs);
        List<RemotePipe> looked = slow;
        slow = new ArrayList<>(0);
        for (RemotePipe each : looked) {
            each.isSlow = false;
            if (!each.settle()) {
                slow(each);
            }
        }
    }

    /** Looks again at a pipe whose socket has not taken everything. */
    void slow(RemotePipe pipe) {
        if (!pipe.isSlow) {
            pipe.isSlow = true;
            slow.add(pipe);
        }
    }

    // ---------------------------------------------------------------- what leaders say

    /**
     * A message of a leader.
     *
     * @param body that begins with the first record at {@code from}; nobody changes it
     */
    public void onMessage(PeerLink link, byte[] body, int from) {
        Peer<RemotePipe> peer = leaders.of(link.peer());
        if (peer == null) {
            context.counters().dropped();
            return;
        }
        ByteReader in = new ByteReader(body, from, body.length);
        try {
            while (!in.isAtEnd()) {
                onRecord(peer, in, body);
            }
        } catch (IndexOutOfBoundsException e) {
            link.broken();
        }
    }

    private void onRecord(Peer<RemotePipe> peer, ByteReader in, byte[] body) {
        int kind = in.u8();
        long number = in.varint();
        RemotePipe pipe = peer.channels.get(number);
        boolean known = pipe != null;
        switch (kind) {
            case Records.DATA -> {
                int length = in.size();
                int at = in.next();
                in.skipTo(at + length);
                known = pipe != null && pipe.onData(body, at, length);
            }
            case Records.USED_UP -> {
                if (pipe != null) {
                    pipe.onUsedUp();
                }
            }
            case Records.WINDOW -> {
                long taken = in.varint();
                long granted = in.varint();
                if (pipe != null) {
                    pipe.onWindow(taken, granted);
                }
            }
            default -> onRareRecord(kind, peer, pipe, in);
        }
        if (!known) {
            context.counters().dropped();
        }
    }

    /** Takes a record of a kind of which a channel gets few. */
    private static void onRareRecord(
            int kind, Peer<RemotePipe> peer, @Nullable RemotePipe pipe, ByteReader in) {
        ChannelEnd channel = pipe == null ? null : pipe.channel();
        switch (kind) {
            case Records.OPENED -> {
                peer.shards = in.smallInt();
                if (pipe != null) {
                    pipe.onOpened();
                }
            }
            case Records.NOT_LEADER -> {
                byte[] row = in.sized();
                if (pipe != null) {
                    pipe.onNotLeader(row);
                }
            }
            case Records.SHRINK -> {
                long bytes = in.varint();
                if (channel != null) {
                    channel.onShrink(bytes);
                }
            }
            case Records.SHRUNK -> {
                long bytes = in.varint();
                if (channel != null) {
                    channel.onShrunk(bytes);
                }
            }
            case Records.CLOSE -> {
                CloseReason reason = CloseReason.of(in.u8());
                if (pipe != null) {
                    pipe.onClose(reason);
                }
            }
            default -> throw new IndexOutOfBoundsException("record of kind " + kind);
        }
    }

    // ---------------------------------------------------------------- what pipes need

    WindowBudget budget() {
        return budget;
    }

    TurnClock clock() {
        return context.clock();
    }

    Turns turns() {
        return context.turns();
    }

    ChannelEnd end(RemotePipe pipe) {
        context.counters().edgeChannels(1);
        return new ChannelEnd(
                pipe.number,
                pipe.slot % pipe.leader.shards,
                pipe.leader.post,
                Marks.TO_LEADER.first(),
                budget,
                context.counters());
    }

    void ended() {
        context.counters().edgeChannels(-1);
    }

    /** Ends a client's connection, some at a time, since thousands may have had the leader. */
    void endSoon(RemotePipe pipe) {
        closes.add(pipe::endWithoutLeader);
    }
}
