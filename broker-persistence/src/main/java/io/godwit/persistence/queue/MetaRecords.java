package io.godwit.persistence.queue;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.SessionCodec;
import io.godwit.core.operation.Subject;
import io.godwit.core.operation.SubscriptionOptions;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.Inbound;
import io.godwit.persistence.codec.Keys;
import java.util.Arrays;

/**
 * Encodes the records of a queue in META, and decodes them: of its session or group, of
 * subscriptions, inbound PUBLISHes and its predecessor.
 *
 * <pre>
 * 'S' client id sized | session
 * 'B' stamp 11 | options, see SubscriptionOptions
 * 'G' part 1 | filter
 * 'I' ingress id | taken 1
 * 'E' queue id of the predecessor 8
 * </pre>
 */
public final class MetaRecords {
    /** Letters of the keys of a queue's records. */
    public static final char[] LETTERS = {'S', 'G', 'E', 'B', 'I'};

    /** Length of a key before the filter or packet id. */
    private static final int PREFIX = 9;

    private MetaRecords() {}

    static void write(ByteWriter to, Subject.SessionPut put) {
        to.sized(put.clientId().bytes());
        SessionCodec.write(to, put.session());
    }

    static void write(ByteWriter to, Subject.SubscriptionPut put) {
        Ids.hybrid(to, put.stamp());
        SubscriptionOptions.write(to, put);
    }

    static void write(ByteWriter to, Subject.GroupPut put) {
        to.u8(put.part()).raw(put.filter().bytes());
    }

    /** Encodes the value of a session, subscription, group or predecessor. */
    public static byte[] value(Subject put) {
        ByteWriter to = new ByteWriter(64);
        switch (put) {
            case Subject.SessionPut session -> write(to, session);
            case Subject.SubscriptionPut subscription -> write(to, subscription);
            case Subject.GroupPut group -> write(to, group);
            case Subject.PrecededBy before -> to.long8(before.predecessorId());
            default -> throw new IllegalArgumentException("no record: " + put);
        }
        return to.toBytes();
    }

    /** Takes a decoded record. */
    public interface Reader {
        void put(Subject put);

        void inbound(Inbound inbound);
    }

    /**
     * Decodes a record.
     *
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    public static void read(byte[] key, byte[] value, Reader to) {
        long queueId = Keys.longAt(key, 1);
        ByteReader in = new ByteReader(value);
        switch (key[0]) {
            case 'S' -> to.put(session(key, value));
            case 'G' -> {
                int part = in.u8();
                to.put(new Subject.GroupPut(new TopicFilter(in.rest()), part, queueId));
            }
            case 'E' -> to.put(new Subject.PrecededBy(queueId, in.long8()));
            case 'B' -> to.put(SubscriptionOptions.read(in, queueId, filter(key)));
            case 'I' -> to.inbound(Inbounds.read(key, value));
            default -> throw new IllegalArgumentException("no record of a queue: " + key[0]);
        }
    }

    /**
     * Decodes the record of a session.
     *
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    public static Subject.SessionPut session(byte[] key, byte[] value) {
        ByteReader in = new ByteReader(value);
        ClientId clientId = new ClientId(in.sized());
        return new Subject.SessionPut(clientId, SessionCodec.read(in, Keys.longAt(key, 1)));
    }

    /**
     * Checks that a record can be decoded.
     *
     * @throws IndexOutOfBoundsException or IllegalArgumentException when it can't
     */
    public static void check(byte[] key, byte[] value) {
        read(
                key,
                value,
                new Reader() {
                    @Override
                    public void put(Subject put) {}

                    @Override
                    public void inbound(Inbound inbound) {}
                });
    }

    /** Reads the client id of a session's record. */
    public static ClientId clientId(byte[] session) {
        return new ClientId(new ByteReader(session).sized());
    }

    /** Reads the filter in the key of a subscription. */
    public static TopicFilter filter(byte[] key) {
        return new TopicFilter(Arrays.copyOfRange(key, PREFIX, key.length));
    }
}
