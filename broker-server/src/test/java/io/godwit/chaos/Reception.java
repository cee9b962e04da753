package io.godwit.chaos;

import java.util.Arrays;
import java.util.BitSet;

/** What a session or a group got of one stream, and what it should get. */
final class Reception {
    final Stream stream;

    /** Sent while the subscription was acknowledged, and not given up since. */
    final BitSet wanted = new BitSet();

    /** Would be that, but the publisher's node was cut off, and may not have known of it. */
    final BitSet excused = new BitSet();

    /** Would be wanted, but may have waited for a group at a node whose disk was lost. */
    final BitSet lostWithDisk = new BitSet();

    final BitSet received = new BitSet();
    int highest;

    /** Highest on the connection number {@link #connection} that was sent only once. */
    int highestOnConnection;

    int connection;
    private int[] lastTick = new int[64];
    private char[] lastPacketId = new char[64];
    private String[] lastBy = new String[64];

    Reception(Stream stream) {
        this.stream = stream;
    }

    /**
     * @param by the client that has got it
     */
    void received(String by, int seq, int tick, int packetId) {
        received.set(seq);
        highest = Math.max(highest, seq);
        if (seq >= lastTick.length) {
            int length = Math.max(seq + 1, lastTick.length * 2);
            lastTick = Arrays.copyOf(lastTick, length);
            lastPacketId = Arrays.copyOf(lastPacketId, length);
            lastBy = Arrays.copyOf(lastBy, length);
        }
        lastTick[seq] = tick;
        lastPacketId[seq] = (char) packetId;
        lastBy[seq] = by;
    }

    int lastTick(int seq) {
        return lastTick[seq];
    }

    int lastPacketId(int seq) {
        return lastPacketId[seq];
    }

    String lastBy(int seq) {
        return lastBy[seq];
    }

    /** Acknowledged to the publisher, and not here. */
    BitSet missing() {
        return missing(wanted);
    }

    /** Acknowledged to the publisher, and not here, and it need not be. */
    BitSet missed() {
        return missing(excused);
    }

    /** Acknowledged to the publisher, and not here: it was lost with a disk. */
    BitSet missedWithDisk() {
        return missing(lostWithDisk);
    }

    private BitSet missing(BitSet of) {
        BitSet missing = (BitSet) of.clone();
        missing.and(stream.acked);
        missing.andNot(received);
        return missing;
    }

    /** A disk is lost, and with it perhaps what was on its way. */
    void loseDisk() {
        BitSet waiting = (BitSet) wanted.clone();
        waiting.andNot(received);
        lostWithDisk.or(waiting);
        wanted.andNot(waiting);
    }

    /** The subscription ends: what has not come may stay away. */
    void giveUp() {
        wanted.and(received);
    }
}
