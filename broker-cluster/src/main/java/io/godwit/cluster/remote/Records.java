package io.godwit.cluster.remote;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.TrafficClass;

/**
 * Lays out the messages of remote connections.
 *
 * <pre>
 * message     target varint | record ...
 * target      0: every shard | 1: the shard of the slot (varint) that follows | n + 2: shard n
 * record      kind 1 | channel varint | ...
 *
 * OPEN        slot varint | AuthenticatedConnect sized          edge to leader
 * OPENED      number of shards of the leader varint             leader to edge
 * NOT_LEADER  row of the table of leaders sized                 leader to edge
 * DATA        bytes sized
 * USED_UP     nothing: nothing more is begun until there is credit
 * WINDOW      bytes taken varint | bytes more that may be begun varint
 * SHRINK      bytes fewer that may be begun varint
 * SHRUNK      the same number, as its answer
 * CLOSE       CloseReason 1
 * CHANNELS    (in place of a channel: shard of the edge) | count varint | channel varint ...
 *             the channels of this shard of the edge with this node; only to every shard
 * </pre>
 *
 * A channel is a number of this start of the edge, never given twice; its lowest ten bits are the
 * shard of the edge. Records of one channel and direction arrive in order.
 */
final class Records {
    /** What the edge of a channel says to its leader. */
    static final MessageType FROM_EDGE =
            new MessageType(96, TrafficClass.CONNECTIONS, "remote connections, edge to leader");

    /** What the leader of a channel says to its edge. */
    static final MessageType FROM_LEADER =
            new MessageType(97, TrafficClass.CONNECTIONS, "remote connections, leader to edge");

    static final int TO_ALL = 0;
    static final int TO_SLOT = 1;
    static final int TO_SHARD = 2;

    static final int OPEN = 1;
    static final int OPENED = 2;
    static final int NOT_LEADER = 3;
    static final int DATA = 4;
    static final int WINDOW = 5;
    static final int SHRINK = 6;
    static final int SHRUNK = 7;
    static final int CLOSE = 8;
    static final int CHANNELS = 9;
    static final int USED_UP = 10;

    /** Lowest bits of a channel's number, which name the shard of the edge. */
    static final int SHARD_BITS = 10;

    /** Bytes that a record takes besides its content, at most. */
    static final int HEAD_BYTES = 24;

    private Records() {}

    /** The shard of the edge that has the channel. */
    static int edgeShard(long channel) {
        return (int) (channel & (1 << SHARD_BITS) - 1);
    }
}
