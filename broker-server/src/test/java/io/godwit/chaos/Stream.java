package io.godwit.chaos;

import java.util.Arrays;
import java.util.BitSet;

/** What one publisher sent to one topic at one QoS; a tick is a point in the run's history. */
final class Stream {
    final Mark.StreamKey key;
    final BitSet acked = new BitSet();
    private int last;
    private int[] sentTick = new int[64];
    private int[] ackTick = new int[64];
    private byte[] sends = new byte[64];

    Stream(Mark.StreamKey key) {
        this.key = key;
    }

    /**
     * @return whether this is the first time
     */
    boolean sent(int seq, int tick) {
        boolean first = seq > last;
        if (first) {
            last = seq;
            if (seq >= sends.length) {
                int length = Math.max(seq + 1, sends.length * 2);
                sentTick = Arrays.copyOf(sentTick, length);
                ackTick = Arrays.copyOf(ackTick, length);
                sends = Arrays.copyOf(sends, length);
            }
            sentTick[seq] = tick;
        }
        if (sends[seq] < Byte.MAX_VALUE) {
            sends[seq]++;
        }
        return first;
    }

    void acked(int seq, int tick) {
        acked.set(seq);
        ackTick[seq] = tick;
    }

    int last() {
        return last;
    }

    boolean wasSent(int seq) {
        return seq >= 1 && seq <= last;
    }

    boolean sentOnce(int seq) {
        return sends[seq] == 1;
    }

    int sentTick(int seq) {
        return sentTick[seq];
    }

    /** 0 when it was not acknowledged. */
    int ackTick(int seq) {
        return ackTick[seq];
    }
}
