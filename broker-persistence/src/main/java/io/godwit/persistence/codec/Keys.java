package io.godwit.persistence.codec;

import io.godwit.core.id.HybridId;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Keys of all families; big-endian, so that bytes sort as the numbers do.
 *
 * <pre>
 * QUEUES    queue id 8 | status 1 (0 in flight, 1 idle, 2 set aside) | message id: clock 8, server 4
 * PAYLOADS  ingress server 4 | ingress counter 8
 * RETAINED  topic
 * EXPIRY    epoch milliseconds 8 | queue id 8 | message id: clock 8, server id 4
 * META      'F'                            format number (StoreFormat)
 *           'N'                            number of this start
 *           'C'                            no hybrid clock value above it was given
 *           'O'                            no queue counter above it was given
 *           'M'                            position up to which the journal has become rows
 *           'S' queue id 8                 session
 *           'B' queue id 8 | filter        subscription
 *           'I' queue id 8 | packet id 2   inbound QoS 2 PUBLISH
 *           'R' queue id 8 | message id: clock 8, server 3
 *                                          ingress id that the queue remembers
 *           'E' queue id 8                 queue that goes before it
 *           'G' queue id 8                 part of a shared group
 *           'H' queue id 8                 leader of a queue that is a copy, or was
 *           'Z' queue id 8                 session that is gone
 *           'J' queue id 8                 queue without a session that is gone
 *           'Y' stamp 11 | what 1 | which  what is gone, by its stamp
 *           'D' queue id 8                 depth of the queue
 *           'Q' queue id 8                 coverage of the queue
 *           'V'                            position up to which coverage is complete
 *           'T' server 3                   position of another node's stream
 *           'P' queue id 8                 queue whose session or group is gone, until its rows are
 *           'U' ingress id 12              uses of a payload
 *           'A' queue id 8                 counts of what is set aside of a queue
 *           'A' queue id 8 | generation: clock 8, server 3 | letter 1 | rest
 *                                          record of a queue of which something is set aside
 *           'W' key of a row 21            what is to become of a row that could not be read
 *           'X' key of an idle row 21      the same, of one that a start could not read
 * </pre>
 */
public final class Keys {
    public static final byte IN_FLIGHT = 0;
    public static final byte IDLE = 1;

    /** Status of what is no part of its queue any more: a copy had it, and its leader did not. */
    public static final byte ASIDE = 2;

    public static final int ROW_LENGTH = 21;

    public static final byte[] IDS = {'N'};
    public static final byte[] CLOCK = {'C'};
    public static final byte[] QUEUE_IDS = {'O'};
    public static final byte[] MATERIALISED = {'M'};
    public static final byte[] COVERED = {'V'};

    private Keys() {}

    public static byte[] position(long position) {
        return longAt(new byte[8], 0, position);
    }

    public static byte[] row(long queueId, byte status, long clock, int server) {
        byte[] key = new byte[ROW_LENGTH];
        longAt(key, 0, queueId);
        key[8] = status;
        longAt(key, 9, clock);
        key[18] = (byte) (server >>> 16);
        key[19] = (byte) (server >>> 8);
        key[20] = (byte) server;
        return key;
    }

    /** At or below every row of this status above the message id, above all others. */
    public static byte[] rowsAbove(long queueId, byte status, long clock, int server) {
        return successor(row(queueId, status, clock, server));
    }

    /** At or below every row of this status whose clock is above this one. */
    public static byte[] rowsAbove(long queueId, byte status, long clock) {
        if (clock == -1) {
            return rowsEnd(queueId, status);
        }
        byte[] key = new byte[17];
        longAt(key, 0, queueId);
        key[8] = status;
        return longAt(key, 9, clock + 1);
    }

    /** At or below every row of the queue. */
    public static byte[] rowsStart(long queueId) {
        return longAt(new byte[9], 0, queueId);
    }

    /** A key above every row of the queue with this status. */
    public static byte[] rowsEnd(long queueId, byte status) {
        byte[] key = new byte[9];
        longAt(key, 0, queueId);
        key[8] = (byte) (status + 1);
        return key;
    }

    public static long rowQueue(byte[] key) {
        return longAt(key, 0);
    }

    public static long rowClock(byte[] key) {
        return longAt(key, 9);
    }

    public static int rowServer(byte[] key) {
        return intAt(key, 17);
    }

    public static HybridId rowId(byte[] key) {
        return new HybridId(rowClock(key), rowServer(key));
    }

    public static byte[] payload(int server, long counter) {
        byte[] key = new byte[12];
        intAt(key, 0, server);
        return longAt(key, 4, counter);
    }

    public static byte[] expiry(long expiresAtMs, long queueId, long clock, int server) {
        byte[] key = new byte[28];
        longAt(key, 0, expiresAtMs);
        longAt(key, 8, queueId);
        longAt(key, 16, clock);
        intAt(key, 24, server);
        return key;
    }

    public static byte[] stream(int server) {
        return new byte[] {'T', (byte) (server >>> 16), (byte) (server >>> 8), (byte) server};
    }

    /** A key of META: one letter and a queue id. */
    public static byte[] meta(char letter, long queueId) {
        byte[] key = new byte[9];
        key[0] = (byte) letter;
        return longAt(key, 1, queueId);
    }

    /** A key above every key that begins with these bytes; null when there is none. */
    public static byte @Nullable [] after(byte[] prefix) {
        byte[] end = prefix.clone();
        for (int i = end.length - 1; i >= 0; i--) {
            if (++end[i] != 0) {
                return Arrays.copyOf(end, i + 1);
            }
        }
        return null;
    }

    /** The least key above this one. */
    public static byte[] successor(byte[] key) {
        return Arrays.copyOf(key, key.length + 1);
    }

    public static byte[] subscription(long queueId, byte[] filter) {
        byte[] key = Arrays.copyOf(meta('B', queueId), 9 + filter.length);
        System.arraycopy(filter, 0, key, 9, filter.length);
        return key;
    }

    public static byte[] inbound(long queueId, int packetId) {
        byte[] key = Arrays.copyOf(meta('I', queueId), 11);
        key[9] = (byte) (packetId >>> 8);
        key[10] = (byte) packetId;
        return key;
    }

    public static byte[] remembered(long queueId, long clock, int server) {
        byte[] key = Arrays.copyOf(meta('R', queueId), 20);
        longAt(key, 9, clock);
        key[17] = (byte) (server >>> 16);
        key[18] = (byte) (server >>> 8);
        key[19] = (byte) server;
        return key;
    }

    public static HybridId rememberedId(byte[] key) {
        return new HybridId(longAt(key, 9), intAt(key, 16) & 0xFF_FFFF);
    }

    public static byte[] uses(int server, long counter) {
        byte[] key = new byte[13];
        key[0] = 'U';
        intAt(key, 1, server);
        return longAt(key, 5, counter);
    }

    /**
     * Where a record of a queue stands in META of which something is set aside.
     *
     * @param record where the record stands else: letter, queue id, rest
     */
    public static byte[] aside(HybridId generation, byte[] record) {
        byte[] key = Arrays.copyOf(meta('A', longAt(record, 1)), 21 + record.length - 9);
        longAt(key, 9, generation.clock());
        key[17] = (byte) (generation.server() >>> 16);
        key[18] = (byte) (generation.server() >>> 8);
        key[19] = (byte) generation.server();
        key[20] = record[0];
        System.arraycopy(record, 9, key, 21, record.length - 9);
        return key;
    }

    /** The generation in a key that {@link #aside} has made. */
    public static HybridId asideGeneration(byte[] key) {
        return new HybridId(longAt(key, 9), intAt(key, 16) & 0xFF_FFFF);
    }

    /** Where the record of a key that {@link #aside} has made stands else. */
    public static byte[] ofAside(byte[] key) {
        byte[] record = Arrays.copyOf(meta((char) key[20], longAt(key, 1)), 9 + key.length - 21);
        System.arraycopy(key, 21, record, 9, key.length - 21);
        return record;
    }

    /** Where what is to become of a row stands in META. */
    public static byte[] deferred(byte[] row) {
        byte[] key = new byte[1 + ROW_LENGTH];
        key[0] = 'W';
        System.arraycopy(row, 0, key, 1, ROW_LENGTH);
        return key;
    }

    /** The row of a key that {@link #deferred} has made. */
    public static byte[] ofDeferred(byte[] key) {
        return Arrays.copyOfRange(key, 1, 1 + ROW_LENGTH);
    }

    public static long longAt(byte[] key, int at) {
        long value = 0;
        for (int i = at; i < at + 8; i++) {
            value = value << 8 | key[i] & 0xFF;
        }
        return value;
    }

    public static int intAt(byte[] key, int at) {
        return (key[at] & 0xFF) << 24
                | (key[at + 1] & 0xFF) << 16
                | (key[at + 2] & 0xFF) << 8
                | key[at + 3] & 0xFF;
    }

    private static byte[] longAt(byte[] key, int at, long value) {
        for (int i = 7; i >= 0; i--) {
            key[at + 7 - i] = (byte) (value >>> 8 * i);
        }
        return key;
    }

    private static void intAt(byte[] key, int at, int value) {
        for (int i = 3; i >= 0; i--) {
            key[at + 3 - i] = (byte) (value >>> 8 * i);
        }
    }
}
