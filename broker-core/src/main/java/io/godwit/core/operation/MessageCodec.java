package io.godwit.core.operation;

import io.godwit.core.message.Message;
import io.godwit.core.message.PassingMessage;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import org.jspecify.annotations.Nullable;

/**
 * A message, in the journal, in rows, in PAYLOADS and in RETAINED. Who published it is kept with
 * what is retained only: of a queue's entry No Local was applied when it was appended.
 *
 * <pre>
 * flags 1 | ingress id (Ids) | topic sized | [expiry varint, epoch milliseconds]
 *   | [properties sized] | [publisher's client id sized] | payload sized
 * flags: qos 0-1 | retain 2 | has expiry 3 | has properties 4 | has publisher 5
 * </pre>
 */
public final class MessageCodec {
    private static final int RETAIN = 1 << 2;
    private static final int EXPIRY = 1 << 3;
    private static final int PROPERTIES = 1 << 4;
    private static final int PUBLISHER = 1 << 5;

    private static final long UPPER_HALF = -1L << Integer.SIZE;

    private MessageCodec() {}

    /** Whether one may follow the other as {@link #writeNext}. */
    public static boolean isNear(long ingressCounter, long other) {
        return ((ingressCounter ^ other) & UPPER_HALF) == 0;
    }

    public static void write(ByteWriter to, Message message) {
        write(to, message, null);
    }

    /** Writes the message with its publisher's client id. */
    public static void writeWithPublisher(ByteWriter to, Message message) {
        write(to, message, message.publisher);
    }

    private static void write(ByteWriter to, Message message, @Nullable ClientId publisher) {
        int flags = message.qos | (message.retain ? RETAIN : 0);
        byte[] properties = message.properties;
        to.u8(flags | flags(message.expiresAtMs, properties, publisher));
        Ids.ingress(to, message.ingressServer, message.ingressCounter);
        to.sized(message.topic.bytes());
        optional(to, message.expiresAtMs, properties, publisher);
        to.sized(message.payload);
    }

    /** Writes the same as {@link #writeWithPublisher} of a message that is not made. */
    public static void write(ByteWriter to, PassingMessage message) {
        PublishFrame frame = message.frame;
        byte[] properties = frame.forwardedProperties;
        to.u8(frame.qos | flags(message.expiresAtMs, properties, message.publisher));
        Ids.ingress(to, message.ingressServer, message.ingressCounter);
        to.sized(message.topic.bytes());
        optional(to, message.expiresAtMs, properties, message.publisher);
        payload(to, frame);
    }

    private static void payload(ByteWriter to, PublishFrame frame) {
        to.varint(frame.payloadLength);
        int at = to.length();
        to.reserve(frame.payloadLength);
        frame.copyPayload(to.array(), at);
    }

    /**
     * Writes one that follows another with the same topic, publisher and server, and the same upper
     * half of the counter, without these: {@code flags 1 | lower half 4 | [expiry] | [properties] |
     * payload sized}.
     */
    public static void writeNext(ByteWriter to, PassingMessage message) {
        PublishFrame frame = message.frame;
        byte[] properties = frame.forwardedProperties;
        to.u8(frame.qos | flags(message.expiresAtMs, properties, null));
        to.int4((int) message.ingressCounter);
        optional(to, message.expiresAtMs, properties, null);
        payload(to, frame);
    }

    /** The same of a message that was made. */
    public static void writeNext(ByteWriter to, Message message) {
        int flags = message.qos | (message.retain ? RETAIN : 0);
        to.u8(flags | flags(message.expiresAtMs, message.properties, null));
        to.int4((int) message.ingressCounter);
        optional(to, message.expiresAtMs, message.properties, null);
        to.sized(message.payload);
    }

    /** Reads what {@link #writeNext} wrote. */
    public static Message readNext(ByteReader from, Message before) {
        int flags = from.u8();
        long counter = before.ingressCounter & UPPER_HALF | from.int4() & ~UPPER_HALF;
        long expiresAtMs = (flags & EXPIRY) != 0 ? from.varint() : Message.NEVER;
        byte[] properties = (flags & PROPERTIES) != 0 ? from.sized() : PublishFrame.NO_PROPERTIES;
        return new Message(
                before.topic,
                from.sized(),
                properties,
                flags & 3,
                (flags & RETAIN) != 0,
                expiresAtMs,
                before.publisher,
                before.ingressServer,
                counter);
    }

    private static int flags(long expiresAtMs, byte[] properties, @Nullable ClientId publisher) {
        return (expiresAtMs != Message.NEVER ? EXPIRY : 0)
                | (properties.length > 0 ? PROPERTIES : 0)
                | (publisher != null ? PUBLISHER : 0);
    }

    private static void optional(
            ByteWriter to, long expiresAtMs, byte[] properties, @Nullable ClientId publisher) {
        if (expiresAtMs != Message.NEVER) {
            to.varint(expiresAtMs);
        }
        if (properties.length > 0) {
            to.sized(properties);
        }
        if (publisher != null) {
            to.sized(publisher.bytes());
        }
    }

    public static Message read(ByteReader from) {
        return read(from, null);
    }

    /** See {@link #read(ByteReader, Message, KnownNames)}; nothing else is known. */
    public static Message read(ByteReader from, @Nullable Message before) {
        return read(from, before, null);
    }

    /**
     * @param before whose topic and publisher are used again where they are the same: neither is
     *     copied then, nor its hash made
     * @param names the same of those that came earlier; null for none
     */
    public static Message read(
            ByteReader from, @Nullable Message before, @Nullable KnownNames names) {
        int flags = from.u8();
        int server = from.server3();
        long counter = Ids.counter(from);
        Topic topic =
                before != null && from.skipSized(before.topic.bytes())
                        ? before.topic
                        : names == null ? new Topic(from.sized()) : names.topic(from);
        long expiresAtMs = (flags & EXPIRY) != 0 ? from.varint() : Message.NEVER;
        byte[] properties = (flags & PROPERTIES) != 0 ? from.sized() : PublishFrame.NO_PROPERTIES;
        ClientId publisher = (flags & PUBLISHER) != 0 ? publisher(from, before, names) : null;
        return new Message(
                topic,
                from.sized(),
                properties,
                flags & 3,
                (flags & RETAIN) != 0,
                expiresAtMs,
                publisher,
                server,
                counter);
    }

    private static ClientId publisher(
            ByteReader from, @Nullable Message before, @Nullable KnownNames names) {
        ClientId last = before == null ? null : before.publisher;
        if (last != null && from.skipSized(last.bytes())) {
            return last;
        }
        return names == null ? new ClientId(from.sized()) : names.client(from);
    }

    /** About how many bytes the message is when written. */
    public static int length(Message message) {
        return message.payload.length + message.properties.length + message.topic.length() + 16;
    }
}
