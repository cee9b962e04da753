package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.cluster.takeover.TakeoverMessages.Forward;
import io.godwit.cluster.takeover.TakeoverMessages.Page;
import io.godwit.cluster.takeover.TakeoverMessages.PageRequest;
import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.HeaderCodec;
import io.godwit.core.session.SessionHeader;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.takeover.Forwarded;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One of each that nodes say about sessions that move. */
public final class TakeoverSamples {
    private static final ClientId CLIENT = ClientId.of("c1");
    private static final ClaimId CLAIM = new ClaimId(new NodeStart(0x010203, 5), 2, 300);
    private static final long COUNTER = IngressId.counter(3, 9);
    private static final HybridId FIRST = new HybridId(11, 1);
    private static final HybridId LAST = new HybridId(64, 2);
    private static final IngressId INGRESS = new IngressId(5, COUNTER);
    private static final Message MESSAGE =
            new Message(
                    Topic.of("a/b"),
                    new byte[] {1, 2, 3},
                    PublishFrame.NO_PROPERTIES,
                    1,
                    false,
                    Message.NEVER,
                    null,
                    5,
                    COUNTER);

    private TakeoverSamples() {}

    /** As a node sends them. */
    public static List<Outgoing> messages() {
        List<Outgoing> all = new ArrayList<>();
        TakeoverCodecTest.vectors().forEach(each -> all.add(TakeoverMessages.of(each.message())));
        all.add(TakeoverMessages.of(new RoomWanted(0)));
        all.add(TakeoverMessages.of(new Header(CLIENT, CLAIM, HeaderCodec.write(header()))));
        all.add(TakeoverMessages.of(TakeoverMessages.LINKED_AGAIN, new ByteWriter(1)));
        all.add(TakeoverMessages.of(new PageRequest(CLIENT, 7, FIRST)));
        all.add(TakeoverMessages.of(new Page(CLIENT, 7, page())));
        Forwarded what = new Forwarded(CLIENT, MESSAGE, 1, true, new int[] {8, 300});
        all.add(TakeoverMessages.of(new Forward(400, 7, true, what)));
        all.add(TakeoverMessages.forwarded(400, true));
        return all;
    }

    private static SessionHeader header() {
        return new SessionHeader(
                CLIENT,
                new SessionRecord(
                        0x105,
                        FIRST,
                        LAST,
                        new Epoch(9, 1),
                        ProtocolVersion.MQTT_5,
                        3_600,
                        1_700_000_000_000L,
                        null,
                        List.of()),
                List.of(
                        new KeptSubscription(
                                TopicFilter.of("a/#"), 2, true, false, new int[] {8, 300}, 0)),
                List.of(new SessionHeader.Sent(12, 1, 300, 2, true)),
                List.of(new SessionHeader.Received(400, 5, COUNTER, true)),
                List.of(new KeptIngress(FIRST, INGRESS)),
                64,
                LAST,
                List.of());
    }

    private static CopyPage page() {
        Coverage coverage = new Coverage();
        coverage.add(1, 10, 64);
        CopyPage.Entry entry =
                new CopyPage.Entry(
                        FIRST,
                        CopyPage.Status.IN_FLIGHT,
                        300,
                        null,
                        1,
                        true,
                        new int[] {8, 300},
                        MESSAGE,
                        5,
                        COUNTER);
        return new CopyPage(
                0x105,
                7,
                new HybridId(10, 1),
                LAST,
                coverage,
                List.of(entry),
                List.of(new KeptIngress(FIRST, INGRESS)),
                true);
    }

    /**
     * Reads one as a node does, and would send on what it has understood.
     *
     * @throws IndexOutOfBoundsException when it is none
     */
    public static Outgoing read(MessageType type, ByteReader body) {
        if (type.equals(TakeoverMessages.TAKEOVER)) {
            TakeoverMessage message = Objects.requireNonNull(TakeoverCodec.read(body.u8(), body));
            if (message instanceof Header header && header.header() != null) {
                byte[] understood = HeaderCodec.write(HeaderCodec.read(header.header()));
                message = new Header(header.clientId(), header.claim(), understood);
            }
            return TakeoverMessages.of(message);
        } else if (type.equals(TakeoverMessages.PAGE_WANTED)) {
            return TakeoverMessages.of(PageRequest.read(body));
        } else if (type.equals(TakeoverMessages.PAGE)) {
            return TakeoverMessages.of(Page.read(body));
        } else if (type.equals(TakeoverMessages.FORWARD)) {
            return TakeoverMessages.of(Forward.read(body));
        } else if (type.equals(TakeoverMessages.FORWARDED)) {
            return TakeoverMessages.forwarded(body.varint(), body.u8() != 0);
        } else if (type.equals(TakeoverMessages.LINKED_AGAIN)) {
            return TakeoverMessages.of(type, new ByteWriter(1));
        }
        throw new IndexOutOfBoundsException("not of takeovers: " + type);
    }
}
