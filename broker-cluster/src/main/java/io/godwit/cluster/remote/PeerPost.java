package io.godwit.cluster.remote;

import io.godwit.cluster.transport.LinkState;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.PeerLink;
import io.godwit.cluster.transport.Resumed;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.cluster.transport.Unconfirmed;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.shard.TurnEnd;
import io.godwit.core.shard.Turns;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends the records of one shard, in one role, to one start of another node: in order, none lost
 * and none twice as long as both starts live.
 *
 * <p>A turn's records for one shard there are one message, offered at the turn's end. A message is
 * kept here while there is no link or the link takes no more; and when a link has broken, what it
 * did not get confirmed comes back, in front of what waits. At the next link the peer tells what it
 * has received ({@link Resumed}), and the rest is offered again.
 */
final class PeerPost implements TurnEnd {
    /** A message is sealed when it has so many bytes: below what a frame is cut at. */
    static final int BATCH_BYTES = 32 << 10;

    /** No record of data is begun for less room than this. */
    private static final int PIECE_LEAST = 256;

    private static final int FIRST_BYTES = 512;

    /**
     * A message that is not with a link.
     *
     * @param sent where it was when its link broke; null: no link has had it
     */
    private record Waiting(Batch batch, @Nullable Unconfirmed sent) {}

    private final MessageType type;
    private final Turns turns;
    private final ChannelAccount account;

    /** By shard there: what is being gathered. */
    private @Nullable ByteWriter[] open = new @Nullable ByteWriter[1];

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);
    private long waitingBytes;
    private long charged;
    private @Nullable PeerLink link;
    private boolean isSilent;
    private boolean isFull;
    private boolean asked;
    private boolean goesLast;
    private int sizeHint = FIRST_BYTES;

    /** The payload that was written last in this turn. */
    private byte @Nullable [] lastPayload;

    PeerPost(MessageType type, ChannelContext context) {
        this.type = type;
        this.turns = context.turns();
        this.account = context.account();
    }

    /** Whether what is written now stays here, or with a link that nobody answers on. */
    boolean isStill() {
        return link == null || isSilent || isFull;
    }

    /** Bytes that wait for a link. */
    long waitingBytes() {
        return waitingBytes;
    }

    // ---------------------------------------------------------------- what is written

    /** Gives the message of this turn for a shard there, to which a record is written at once. */
    ByteWriter toShard(int shard) {
        if (shard >= open.length) {
            open = Arrays.copyOf(open, shard + 1);
        }
        ByteWriter to = open[shard];
        if (to != null && to.length() > BATCH_BYTES - PIECE_LEAST) {
            open[shard] = null;
            seal(to);
            to = null;
        }
        if (to == null) {
            to = new ByteWriter(sizeHint);
            to.varint(Records.TO_SHARD + shard);
            open[shard] = to;
            askForTurnEnd();
        }
        return to;
    }

    /** Gives a message of its own for the shard of a slot there; {@link #seal} follows. */
    ByteWriter toSlot(int slot) {
        return new ByteWriter(FIRST_BYTES).varint(Records.TO_SLOT).varint(slot);
    }

    /** Gives a message of its own for all shards there; {@link #seal} follows. */
    ByteWriter toAll() {
        sealOpen();
        return new ByteWriter(FIRST_BYTES).varint(Records.TO_ALL);
    }

    /** Queues a whole message. */
    void seal(ByteWriter message) {
        waiting.add(new Waiting(new Batch(this, type, message), null));
        waitingBytes += message.length();
        askForTurnEnd();
    }

    /** Writes bytes of a channel: all that are readable. */
    void data(int shard, long channel, ByteBuf from) {
        int at = from.readerIndex();
        int end = from.writerIndex();
        while (at < end) {
            ByteWriter to = toShard(shard);
            int piece = Math.min(end - at, BATCH_BYTES - to.length());
            to.u8(Records.DATA).varint(channel).varint(piece);
            int index = to.length();
            to.reserve(piece);
            from.getBytes(at, to.array(), index, piece);
            at += piece;
        }
    }

    /** Writes bytes of a channel. */
    void data(int shard, long channel, byte[] from, int start, int length) {
        int at = start;
        int end = start + length;
        while (at < end) {
            ByteWriter to = toShard(shard);
            int piece = Math.min(end - at, BATCH_BYTES - to.length());
            to.u8(Records.DATA).varint(channel).varint(piece).range(from, at, at + piece);
            at += piece;
        }
    }

    // ---------------------------------------------------------------- turns

    private void askForTurnEnd() {
        if (!asked) {
            asked = true;
            turns.answerAtTurnEnd(this);
        }
    }

    /** Sends at the second call, behind all that the first one's round has written. */
    @Override
    public void onTurnEnd() {
        if (!goesLast) {
            goesLast = true;
            turns.answerAtTurnEnd(this);
            return;
        }
        goesLast = false;
        asked = false;
        flush();
    }

    /** Notes a payload. @return whether it is the one that was written before */
    boolean repeats(byte[] payload) {
        boolean same = payload == lastPayload;
        lastPayload = payload;
        return same;
    }

    private void flush() {
        lastPayload = null;
        sealOpen();
        offer();
        charge();
    }

    private void sealOpen() {
        for (int i = 0; i < open.length; i++) {
            ByteWriter message = open[i];
            if (message != null) {
                open[i] = null;
                sizeHint = Math.clamp(message.length(), FIRST_BYTES, BATCH_BYTES);
                seal(message);
            }
        }
    }

    private void offer() {
        PeerLink to = link;
        while (to != null && !waiting.isEmpty()) {
            if (!to.hasRoom(TrafficClass.CONNECTIONS)) {
                isFull = true;
                return;
            }
            Batch first = waiting.element().batch();
            if (!to.offer(first)) {
                // It has ended, or other shards have filled it in this moment.
                isFull = to.state() != LinkState.DOWN;
                return;
            }
            waiting.remove();
            waitingBytes -= first.bytes();
        }
        isFull = false;
    }

    private void charge() {
        account.waiting(waitingBytes - charged);
        charged = waitingBytes;
    }

    // ---------------------------------------------------------------- links

    /** A link to the peer is open: what it has not received leaves again. */
    void onUp(PeerLink opened, Resumed resumed) {
        link = opened;
        isSilent = false;
        isFull = false;
        List<Waiting> all = new ArrayList<>(waiting);
        waiting.clear();
        for (Waiting each : all) {
            Unconfirmed sent = each.sent();
            if (sent != null && resumed.has(sent)) {
                waitingBytes -= each.batch().bytes();
            } else {
                waiting.add(new Waiting(each.batch(), null));
            }
        }
        charge();
        askForTurnEnd();
    }

    void onSilent(boolean silent) {
        isSilent = silent;
    }

    /**
     * Offers again what the link did not take: {@link #onRoom} does not follow in all cases.
     *
     * @return whether it takes it now
     */
    boolean offerAgain() {
        if (!isFull) {
            return false;
        }
        onRoom();
        return !isFull;
    }

    /** The link takes more. */
    void onRoom() {
        isFull = false;
        flush();
    }

    /**
     * The link has ended.
     *
     * @param unconfirmed of the node's messages that it did not get confirmed
     */
    void onDown(List<Unconfirmed> unconfirmed) {
        link = null;
        isFull = false;
        for (int i = unconfirmed.size() - 1; i >= 0; i--) {
            Unconfirmed each = unconfirmed.get(i);
            if (each.message() instanceof Batch batch && batch.from() == this) {
                waiting.addFirst(new Waiting(batch, each));
                waitingBytes += batch.bytes();
            }
        }
        charge();
    }

    /** The peer's start has ended, or is out of reach for too long: nothing is sent any more. */
    void close() {
        link = null;
        Arrays.fill(open, null);
        waiting.clear();
        waitingBytes = 0;
        charge();
    }
}
