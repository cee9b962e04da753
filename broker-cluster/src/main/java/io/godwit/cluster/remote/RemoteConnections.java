package io.godwit.cluster.remote;

import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.load.GroupedLine;
import io.godwit.core.operation.ByteReader;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's side of one shard: runs connections of clients that are at other nodes. On the
 * shard's thread.
 */
public final class RemoteConnections {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteConnections.class);

    /** Wires that are looked at in one slice, after they were closed or are read again. */
    private static final int LATER = 100;

    private final ChannelContext context;
    private final Acceptor acceptor;
    private final WindowBudget budget;
    private final PeerTable<RemoteWire> edges;
    private final ArrayDeque<RemoteWire> later = new ArrayDeque<>(0);
    private final GroupedLine faults;

    private boolean isSlicing;

    public RemoteConnections(ChannelContext context, Acceptor acceptor) {
        this(context, acceptor, LOG);
    }

    RemoteConnections(ChannelContext context, Acceptor acceptor, Logger log) {
        this.context = context;
        this.acceptor = acceptor;
        faults = new GroupedLine(log, "Internal error: closing the remote connection of {}{}");
        ChannelAccount account = context.account();
        budget = new WindowBudget(Marks.TO_LEADER, account, account::leaderWindowsMax);
        edges = new PeerTable<>(Records.FROM_LEADER, context, this::lost);
    }

    /**
     * Ends the connections of slots that this node does not lead any more. Their clients are told
     * that the server ends.
     */
    public void closeSlots(BitSet slots) {
        forEach(wire -> slots.get(wire.slot), RemoteWire::endWithoutSlot);
    }

    private void forEach(Predicate<RemoteWire> which, Consumer<RemoteWire> task) {
        List<RemoteWire> found = new ArrayList<>();
        for (Peer<RemoteWire> edge : edges.all()) {
            for (RemoteWire wire : edge.channels.values()) {
                if (which.test(wire)) {
                    found.add(wire);
                }
            }
        }
        found.forEach(task);
    }

    // ---------------------------------------------------------------- links

    public void onUp(PeerLink link, Resumed resumed) {
        edges.onUp(link, resumed);
    }

    public void onSilent(PeerLink link) {
        silent(link, true);
    }

    public void onHeard(PeerLink link) {
        silent(link, false);
    }

    private void silent(PeerLink link, boolean silent) {
        Peer<RemoteWire> peer = edges.of(link.peer());
        if (peer != null) {
            peer.post.onSilent(silent);
        }
    }

    public void onDown(PeerLink link, List<Unconfirmed> unconfirmed) {
        edges.onDown(link, unconfirmed);
    }

    public void onRoom(PeerLink link) {
        Peer<RemoteWire> peer = edges.of(link.peer());
        if (peer != null && peer.isLinked) {
            peer.post.onRoom();
        }
    }

    private void lost(Peer<RemoteWire> edge) {
        for (RemoteWire each : new ArrayList<>(edge.channels.values())) {
            each.onClose(CloseReason.UNKNOWN);
        }
    }

    /** Time has passed: called about every 100 ms. */
    public void tick(long nowMs) {
        edges.tick(nowMs);
        edges.all().forEach(each -> each.post.offerAgain());
        budget.tick(nowMs);
    }

    // ---------------------------------------------------------------- what edges say

    /**
     * A message of an edge.
     *
     * @param body that begins with the first record at {@code from}; nobody changes it
     */
    public void onMessage(PeerLink link, byte[] body, int from) {
        Peer<RemoteWire> peer = edges.of(link.peer());
        if (peer == null) {
            context.counters().dropped();
            return;
        }
        ByteReader in = new ByteReader(body, from, body.length);
        ByteBuf view = Unpooled.wrappedBuffer(body);
        try {
            while (!in.isAtEnd()) {
                onRecord(link, peer, in, view);
            }
        } catch (IndexOutOfBoundsException e) {
            link.broken();
        }
    }

    private void onRecord(PeerLink link, Peer<RemoteWire> peer, ByteReader in, ByteBuf view) {
        int kind = in.u8();
        long number = in.varint();
        if (kind == Records.OPEN) {
            open(link, peer, number, in);
            return;
        }
        if (kind == Records.CHANNELS) {
            compare(peer, (int) number, in);
            return;
        }
        RemoteWire wire = peer.channels.get(number);
        boolean known = wire != null;
        switch (kind) {
            case Records.DATA -> {
                int length = in.size();
                int at = in.next();
                in.skipTo(at + length);
                known = wire != null && wire.onData(view.setIndex(at, at + length));
            }
            case Records.USED_UP -> {
                if (wire != null) {
                    wire.onUsedUp();
                }
            }
            case Records.WINDOW -> {
                long taken = in.varint();
                long granted = in.varint();
                if (wire != null) {
                    wire.onWindow(taken, granted);
                }
            }
            case Records.SHRINK -> {
                long bytes = in.varint();
                if (wire != null) {
                    wire.channel().onShrink(bytes);
                }
            }
            case Records.SHRUNK -> {
                long bytes = in.varint();
                if (wire != null) {
                    wire.channel().onShrunk(bytes);
                }
            }
            case Records.CLOSE -> {
                CloseReason reason = CloseReason.of(in.u8());
                if (wire != null) {
                    wire.onClose(reason);
                }
            }
            default -> throw new IndexOutOfBoundsException("record of kind " + kind);
        }
        if (!known) {
            context.counters().dropped();
        }
    }

    private void open(PeerLink link, Peer<RemoteWire> peer, long number, ByteReader in) {
        int slot = in.smallInt();
        int length = in.size();
        int at = in.next();
        ByteReader body = in.copy();
        AuthenticatedConnect sent = context.connects().read(body);
        AuthenticatedConnect connect = sent.connectedAt(link.localMs(sent.connectedMs()));
        in.skipTo(at + length);
        int edgeShard = Records.edgeShard(number);
        if (!acceptor.leads(slot)) {
            peer.post
                    .toShard(edgeShard)
                    .u8(Records.NOT_LEADER)
                    .varint(number)
                    .sized(acceptor.leaderRow(slot));
            return;
        }
        ChannelEnd end =
                new ChannelEnd(
                        number,
                        edgeShard,
                        peer.post,
                        Marks.TO_CLIENT.first(),
                        budget,
                        context.counters());
        RemoteWire wire = new RemoteWire(this, peer, slot, end, connect);
        peer.channels.put(number, wire);
        context.counters().leaderChannels(1);
        peer.post.toShard(edgeShard).u8(Records.OPENED).varint(number).varint(context.shards());
        try {
            wire.replaceListener(acceptor.accept(connect, wire));
        } catch (RuntimeException fault) {
            onFault(wire, fault);
            wire.close();
        }
    }

    /** Ends here what the edge does not have, and has the edge end what is not here. */
    private void compare(Peer<RemoteWire> peer, int edgeShard, ByteReader in) {
        Set<Long> there = new HashSet<>();
        for (int left = in.smallInt(); left > 0; left--) {
            long number = in.varint();
            int slot = in.smallInt();
            if (slot % context.shards() == context.shard()) {
                there.add(number);
                if (!peer.channels.containsKey(number)) {
                    peer.post
                            .toShard(edgeShard)
                            .u8(Records.CLOSE)
                            .varint(number)
                            .u8(CloseReason.UNKNOWN.ordinal());
                }
            }
        }
        for (RemoteWire each : new ArrayList<>(peer.channels.values())) {
            if (Records.edgeShard(each.number()) == edgeShard && !there.contains(each.number())) {
                each.onClose(CloseReason.UNKNOWN);
            }
        }
    }

    // ---------------------------------------------------------------- what wires need

    WindowBudget budget() {
        return budget;
    }

    Buffers buffers() {
        return context.buffers();
    }

    ChannelAccount account() {
        return context.account();
    }

    /** Looks at a wire in a later turn. */
    void later(RemoteWire wire) {
        if (!wire.isDue) {
            wire.isDue = true;
            later.add(wire);
            if (!isSlicing) {
                isSlicing = true;
                context.turns().slice(this::slice);
            }
        }
    }

    private boolean slice() {
        for (int i = 0; i < LATER; i++) {
            RemoteWire wire = later.poll();
            if (wire == null) {
                break;
            }
            wire.isDue = false;
            wire.later();
        }
        isSlicing = !later.isEmpty();
        return !isSlicing;
    }

    /** A bug of ours met this connection: it goes, the others go on. */
    void onFault(RemoteWire wire, RuntimeException fault) {
        acceptor.onFault();
        faults.error(context.clock().nowMs(), wire.remoteAddress(), fault);
    }

    void ended() {
        context.counters().leaderChannels(-1);
    }

    /** Counts a payload that goes to the same node again, for another client. */
    void sent(Peer<RemoteWire> edge, byte[] payload, int length) {
        if (edge.post.repeats(payload)) {
            context.counters().repeated(length);
        }
    }
}
