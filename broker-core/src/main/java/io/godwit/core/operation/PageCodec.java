package io.godwit.core.operation;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.CopyPage.Entry;
import io.godwit.core.store.CopyPage.Status;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Receiver;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a queue on its way to another node.
 *
 * <pre>
 * queue id 8 | position varint | above 11 | up to 11 | flags 1 | coverage | n varint | n x entry
 *   | m varint | m x (message id 11 | ingress id): what the queue remembers of QoS 2
 * flags: nothing above 0
 * entry  flags 1 | id 11 | [packet id varint] | [receiver] | [ids] | message, or its ingress id
 * flags: QoS 2 0 | retain 1 | has a packet id 2 | has ids 3 | only a marker is left 4 | a member
 *        of a group has it 5 | the marker is of a group's entry 6
 * </pre>
 */
public final class PageCodec {
    private static final int LAST = 1;

    private static final int QOS2 = 1;
    private static final int RETAIN = 1 << 1;
    private static final int PACKET_ID = 1 << 2;
    private static final int IDS = 1 << 3;
    private static final int MARKER = 1 << 4;
    private static final int RECEIVER = 1 << 5;
    private static final int GOT = 1 << 6;
    private static final int KNOWN = (1 << 7) - 1;

    private static final int[] NO_IDS = {};

    private PageCodec() {}

    /** About how many bytes the page is when written. */
    public static int length(CopyPage page) {
        int length = 64 + 24 * page.remembered().size();
        for (Entry entry : page.entries()) {
            Message message = entry.message();
            length += 48 + 5 * entry.ids().length;
            length += message == null ? 0 : MessageCodec.length(message);
        }
        return length;
    }

    public static void write(ByteWriter to, CopyPage page) {
        to.long8(page.queueId()).varint(page.position());
        Ids.hybrid(to, page.above());
        Ids.hybrid(to, page.upTo());
        to.u8(page.isLast() ? LAST : 0);
        CoverageCodec.write(to, page.coverage());
        to.varint(page.entries().size());
        for (Entry entry : page.entries()) {
            entry(to, entry);
        }
        to.varint(page.remembered().size());
        for (KeptIngress each : page.remembered()) {
            Ids.hybrid(to, each.id());
            Ids.ingress(to, each.ingress().server(), each.ingress().counter());
        }
    }

    private static void entry(ByteWriter to, Entry entry) {
        Message message = entry.message();
        Receiver receiver = entry.receiver();
        int flags = entry.qos() == 2 ? QOS2 : 0;
        flags |= entry.retain() ? RETAIN : 0;
        flags |= entry.packetId() != 0 ? PACKET_ID : 0;
        flags |= entry.ids().length > 0 ? IDS : 0;
        flags |= message == null ? MARKER : 0;
        flags |= receiver != null ? RECEIVER : 0;
        flags |= entry.status() == Status.GOT ? GOT : 0;
        to.u8(flags);
        Ids.hybrid(to, entry.id());
        if (entry.packetId() != 0) {
            to.varint(entry.packetId());
        }
        if (receiver != null) {
            Ids.receiver(to, receiver);
        }
        if (entry.ids().length > 0) {
            to.ints(entry.ids());
        }
        if (message == null) {
            Ids.ingress(to, entry.ingressServer(), entry.ingressCounter());
        } else {
            MessageCodec.write(to, message);
        }
    }

    /**
     * @throws IndexOutOfBoundsException when these bytes are none
     */
    public static CopyPage read(ByteReader from) {
        long queueId = from.long8();
        long position = from.varint();
        HybridId above = Ids.hybrid(from);
        HybridId upTo = Ids.hybrid(from);
        boolean isLast = (from.u8() & LAST) != 0;
        Coverage coverage = CoverageCodec.read(from);
        List<Entry> entries = new ArrayList<>();
        Message before = null;
        HybridId last = above;
        for (int left = from.size(); left > 0; left--) {
            Entry entry = entry(from, before);
            if (entry.id().compareTo(last) <= 0 || entry.id().compareTo(upTo) > 0) {
                throw new IndexOutOfBoundsException(entry.id() + " behind " + last);
            }
            last = entry.id();
            before = entry.message() == null ? before : entry.message();
            entries.add(entry);
        }
        List<KeptIngress> remembered = new ArrayList<>(0);
        for (int left = from.size(); left > 0; left--) {
            HybridId id = Ids.hybrid(from);
            remembered.add(new KeptIngress(id, Ids.ingress(from)));
        }
        return new CopyPage(queueId, position, above, upTo, coverage, entries, remembered, isLast);
    }

    private static Entry entry(ByteReader from, @Nullable Message before) {
        int flags = from.u8();
        if ((flags & ~KNOWN) != 0) {
            throw new IndexOutOfBoundsException("entry of a page with flags " + flags);
        }
        HybridId id = Ids.hybrid(from);
        int packetId = (flags & PACKET_ID) == 0 ? 0 : from.smallInt();
        Receiver receiver = (flags & RECEIVER) == 0 ? null : Ids.receiver(from);
        int[] ids = (flags & IDS) == 0 ? NO_IDS : from.ints();
        boolean isMarker = (flags & MARKER) != 0;
        Message message = isMarker ? null : MessageCodec.read(from, before);
        int server = message == null ? from.server3() : message.ingressServer;
        long counter = message == null ? Ids.counter(from) : message.ingressCounter;
        Status status = status(flags, packetId);
        return new Entry(
                id,
                status,
                packetId,
                receiver,
                (flags & QOS2) == 0 ? 1 : 2,
                (flags & RETAIN) != 0,
                ids,
                message,
                server,
                counter);
    }

    private static Status status(int flags, int packetId) {
        if ((flags & MARKER) != 0) {
            return (flags & GOT) != 0 ? Status.GOT : Status.RELEASED;
        }
        return packetId == 0 ? Status.IDLE : Status.IN_FLIGHT;
    }
}
