package io.godwit.cluster.takeover;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Ids;
import io.godwit.core.operation.MessageCodec;
import io.godwit.core.operation.PageCodec;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.CopyPage;
import io.godwit.core.takeover.Forwarded;

/**
 * What nodes send each other about sessions that move. Fields are only ever added, at the end.
 *
 * <pre>
 * 48 takeover      code 1 | as TakeoverCodec has it
 * 49 linked again  nothing: the sender has taken the receiver for gone, and does not any more
 * 50 page wanted   client id sized | changes varint | above 11
 * 51 page          client id sized | changes varint | as PageCodec has it
 * 52 forward       number varint, 0: nobody waits | client id sized | flags 1 | ids | message
 *                  | changes varint
 *                  flags: qos 0-1 | retain 2 | may come again 3
 * 53 forwarded     number varint | taken 1
 * </pre>
 */
final class TakeoverMessages {
    static final MessageType TAKEOVER = new MessageType(48, TrafficClass.CONTROL, "takeover");
    static final MessageType LINKED_AGAIN =
            new MessageType(49, TrafficClass.CONTROL, "linked again");
    static final MessageType PAGE_WANTED = new MessageType(50, TrafficClass.CONTROL, "page wanted");
    static final MessageType PAGE = new MessageType(51, TrafficClass.APPENDS, "page");
    static final MessageType FORWARD = new MessageType(52, TrafficClass.APPENDS, "forward");
    static final MessageType FORWARDED = new MessageType(53, TrafficClass.CONTROL, "forwarded");

    private static final int RETAIN = 1 << 2;
    private static final int MAY_COME_AGAIN = 1 << 3;

    private TakeoverMessages() {}

    static MessageType[] types() {
        return new MessageType[] {TAKEOVER, LINKED_AGAIN, PAGE_WANTED, PAGE, FORWARD, FORWARDED};
    }

    /** A page that a new home asks for. */
    record PageRequest(ClientId clientId, long changes, HybridId above) {
        static PageRequest read(ByteReader from) {
            ClientId clientId = new ClientId(from.sized());
            long changes = from.varint();
            return new PageRequest(clientId, changes, Ids.hybrid(from));
        }
    }

    /** A page of a former home. */
    record Page(ClientId clientId, long changes, CopyPage page) {
        static Page read(ByteReader from) {
            ClientId clientId = new ClientId(from.sized());
            long changes = from.varint();
            return new Page(clientId, changes, PageCodec.read(from));
        }
    }

    /**
     * A message that goes after its session.
     *
     * @param number given by the sender; 0 when nobody waits
     * @param changes number of the grant for which the session was given
     * @param mayComeAgain the queue is to remember it
     */
    record Forward(long number, long changes, boolean mayComeAgain, Forwarded what) {
        static Forward read(ByteReader from) {
            long number = from.varint();
            ClientId clientId = new ClientId(from.sized());
            int flags = from.u8();
            int[] ids = from.ints();
            Message message = MessageCodec.read(from);
            return new Forward(
                    number,
                    from.varint(),
                    (flags & MAY_COME_AGAIN) != 0,
                    new Forwarded(clientId, message, flags & 3, (flags & RETAIN) != 0, ids));
        }
    }

    /** Bytes that are written at once. */
    static Outgoing of(MessageType type, ByteWriter body) {
        return new Written(type, body.toBytes());
    }

    static Outgoing of(TakeoverMessage message) {
        ByteWriter to = new ByteWriter(64).u8(TakeoverCodec.code(message));
        TakeoverCodec.write(to, message);
        return of(TAKEOVER, to);
    }

    static Outgoing of(PageRequest wanted) {
        ByteWriter to = new ByteWriter(64);
        to.sized(wanted.clientId.bytes()).varint(wanted.changes);
        Ids.hybrid(to, wanted.above);
        return of(PAGE_WANTED, to);
    }

    static Outgoing of(Page page) {
        ByteWriter to = new ByteWriter(32 + PageCodec.length(page.page));
        to.sized(page.clientId.bytes()).varint(page.changes);
        PageCodec.write(to, page.page);
        return of(PAGE, to);
    }

    static Outgoing of(Forward forward) {
        Forwarded what = forward.what;
        ByteWriter to = new ByteWriter(64 + MessageCodec.length(what.message()));
        to.varint(forward.number).sized(what.clientId().bytes());
        int flags = what.qos();
        flags |= what.retain() ? RETAIN : 0;
        flags |= forward.mayComeAgain ? MAY_COME_AGAIN : 0;
        to.u8(flags).ints(what.ids());
        MessageCodec.write(to, what.message());
        to.varint(forward.changes);
        return of(FORWARD, to);
    }

    static Outgoing forwarded(long number, boolean isTaken) {
        return of(FORWARDED, new ByteWriter(12).varint(number).u8(isTaken ? 1 : 0));
    }

    private record Written(MessageType type, byte[] body) implements Outgoing {
        @Override
        public int bytes() {
            return body.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.raw(body);
        }
    }
}
