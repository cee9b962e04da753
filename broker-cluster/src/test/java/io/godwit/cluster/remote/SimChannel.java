package io.godwit.cluster.remote;

import io.godwit.core.packet.ClientId;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/** What the judge knows of a channel: what was sent in each direction, and what has come. */
final class SimChannel {
    final int id;
    final SimNode edge;
    final SimNode leader;
    final boolean isV5;
    final int slot;

    /** What the client has sent. */
    final Stream toLeader = new Stream();

    /** What the leader has written; only whole packets are complete. */
    final Stream toClient = new Stream();

    /** Where packets to the client end. */
    final BitSet packetEnds = new BitSet();

    boolean isConnackWritten;
    boolean clientEnded;
    boolean leaderEnded;

    /** Whether anything has happened that may cost bytes: a lost link, start or slot. */
    boolean isCut;

    int openingCalls;
    int connectionClosed;
    boolean isAccepted;

    SimChannel(int id, SimNode edge, SimNode leader, boolean isV5) {
        this.id = id;
        this.edge = edge;
        this.leader = leader;
        this.isV5 = isV5;
        slot = ClientId.of("c" + id).slot();
    }

    /** Bytes of one direction. */
    static final class Stream {
        private byte[] bytes = new byte[256];
        int sent;
        int arrived;

        /** Bytes that the other side has taken. */
        int taken;

        int largest;

        /** Bytes written though nothing should be begun. */
        int forced;

        byte[] add(SplittableRandom random, int length) {
            byte[] more = new byte[length];
            random.nextBytes(more);
            add(more);
            return more;
        }

        void add(byte[] more) {
            if (sent + more.length > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(sent + more.length, bytes.length * 2));
            }
            System.arraycopy(more, 0, bytes, sent, more.length);
            sent += more.length;
            largest = Math.max(largest, more.length);
        }

        /** Whether these bytes are those that follow what has arrived. */
        boolean arrive(byte[] some) {
            boolean same =
                    arrived + some.length <= sent
                            && Arrays.equals(
                                    bytes, arrived, arrived + some.length, some, 0, some.length);
            if (same) {
                arrived += some.length;
            }
            return same;
        }

        boolean isComplete() {
            return arrived == sent;
        }

        int underWay() {
            return sent - taken;
        }
    }

    @Override
    public String toString() {
        return "channel "
                + id
                + " of "
                + edge.start
                + " at "
                + leader.start
                + " to leader "
                + toLeader.arrived
                + "/"
                + toLeader.sent
                + ", to client "
                + toClient.arrived
                + "/"
                + toClient.sent;
    }
}
