package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.godwit.core.id.Epoch;
import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.message.CameBefore;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.session.HeaderCodec;
import io.godwit.core.session.SessionHeader;
import io.godwit.core.session.SessionHeader.Received;
import io.godwit.core.session.SessionHeader.Sent;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.Recovery.KeptSubscription;
import io.godwit.core.store.SessionMoves;
import io.godwit.core.store.SessionRecord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a session's next home is told of it. */
class SessionHeaderTest {
    private final RestartFixture f = new RestartFixture();

    private SessionHeader header() {
        return SessionHeader.of(f.node.session("d"));
    }

    /** A session with something of everything: its client is connected to shard 0. */
    private TestClient client() {
        TestClient client = f.connect(0, "d", false, 3600, RestartFixture.will(1, false, 60));
        subscribe(client, 2, "in/+", "also");
        TestClient other = f.durable(1, "p");
        f.node.settle();
        other.publish("in/1", 1, 1, "one");
        other.publish("in/2", 2, 2, "two");
        other.publish("in/3", 2, 3, "three");
        f.node.settle();
        client.ack(PacketType.PUBREC, 2);
        client.publish("elsewhere", 2, 9, "taken");
        f.node.settle();
        assertThat(client.payloads()).containsExactly("one", "two", "three");
        return client;
    }

    @Test
    void has_the_record_the_subscriptions_and_what_is_under_way_in_both_directions() {
        client();
        SessionHeader header = header();
        assertThat(header.clientId()).isEqualTo(ClientId.of("d"));
        assertThat(header.record().queueId()).isEqualTo(f.queueId("d"));
        assertThat(header.record().expirySeconds()).isEqualTo(3600);
        assertThat(header.record().disconnectedAtMs()).isZero();
        assertThat(header.record().will()).isNotNull();
        assertThat(header.subscriptions())
                .extracting(s -> s.filter().toString(), s -> s.qos())
                .containsExactly(tuple("also", 2), tuple("in/+", 2));
        assertThat(header.inFlight())
                .extracting(Sent::packetId, Sent::qos, Sent::isReleased)
                .containsExactly(tuple(1, 1, false), tuple(2, 2, true), tuple(3, 2, false));
        assertThat(header.received())
                .extracting(Received::packetId, Received::isTaken)
                .containsExactly(tuple(9, true));
        assertThat(header.lastId()).isEqualTo(header.inFlight().getLast().messageId());
    }

    @Test
    void is_the_same_where_the_session_comes_to() {
        TestClient old = client();
        old.cut();
        f.node.settle();
        SessionHeader before = header();
        assertThat(f.node.session("d").owner()).isZero();

        // A connection that is gone when it is granted its client id: nothing but the place and the
        // stamp, which names the last CONNECT, changes.
        TestClient newer = f.node.open(1, ProtocolVersion.MQTT_5);
        newer.connect("d", false, 3600, 0);
        newer.cut();
        f.node.settle();
        assertThat(newer.packets()).isEmpty();
        assertThat(f.node.session("d").owner()).isEqualTo(1);
        SessionHeader after = header();
        assertThat(after)
                .usingRecursiveComparison()
                .ignoringFields("record.stamp")
                .isEqualTo(before);
        assertThat(after.record().stamp()).isGreaterThan(before.record().stamp());

        assertThat(connAck(f.durable(0, "d")).sessionPresent()).isTrue();
    }

    @Test
    void goes_to_another_node_as_bytes() {
        client();
        SessionHeader header = header();

        byte[] bytes = HeaderCodec.write(header);

        assertThat(HeaderCodec.read(bytes)).usingRecursiveComparison().isEqualTo(header);
        for (int length = 0; length < bytes.length; length++) {
            byte[] cut = Arrays.copyOf(bytes, length);
            // Cut between sections it is as one of an earlier version, but never without a session.
            if (length == 0 || !isSectionEnd(bytes, length)) {
                assertThatThrownBy(() -> HeaderCodec.read(cut))
                        .as("%s bytes", length)
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    /** What had come there is of no use elsewhere. */
    @Test
    void says_what_was_sent_before_a_subscription() {
        client();
        SessionHeader header = header();
        CameBefore both = new CameBefore.Builder().add(9, 3, 1, 5).addSent(2, 4, 1, 7).build();
        List<KeptSubscription> subscriptions = new ArrayList<>(header.subscriptions());
        subscriptions.set(0, subscriptions.getFirst().had(0, both));
        SessionHeader with =
                new SessionHeader(
                        header.clientId(),
                        header.record(),
                        subscriptions,
                        header.inFlight(),
                        header.received(),
                        header.remembered(),
                        header.lastId(),
                        header.inFlightUpTo(),
                        header.taken());

        assertThat(HeaderCodec.read(HeaderCodec.write(with)).subscriptions())
                .extracting(KeptSubscription::before)
                .containsExactly(new CameBefore.Builder().addSent(2, 4, 1, 7).build(), null);
    }

    private static boolean isSectionEnd(byte[] bytes, int length) {
        ByteReader in = new ByteReader(bytes);
        while (in.next() < length) {
            in.u8();
            in.sized();
        }
        return in.next() == length;
    }

    @Test
    void a_section_of_a_later_version_is_skipped() {
        client();
        ByteWriter later = new ByteWriter(16).raw(HeaderCodec.write(header())).u8(99);
        later.sized(new byte[] {1, 2, 3});

        assertThat(HeaderCodec.read(later.toBytes()))
                .usingRecursiveComparison()
                .isEqualTo(header());
    }

    /** The bytes are given once and for all: a node of another version reads them. */
    @Test
    void a_header_has_these_bytes() {
        SessionRecord record =
                new SessionRecord(
                        0x105,
                        new HybridId(1, 2),
                        new HybridId(3, 2),
                        new Epoch(4, 2),
                        ProtocolVersion.MQTT_5,
                        60,
                        0,
                        null,
                        List.of());
        SessionHeader header =
                new SessionHeader(
                        ClientId.of("c"),
                        record,
                        List.of(
                                new KeptSubscription(
                                        TopicFilter.of("a/+"), 2, true, false, new int[] {7}, 300)),
                        List.of(new Sent(0x10, 2, 300, 2, true), new Sent(0x11, 3, 1, 1, false)),
                        List.of(new Received(9, 2, IngressId.counter(3, 8), true)),
                        List.of(
                                new KeptIngress(
                                        new HybridId(0x10, 2),
                                        new IngressId(2, IngressId.counter(3, 7)))),
                        0x11,
                        new HybridId(0x11, 3),
                        List.of(
                                new IngressId(2, IngressId.counter(3, 9)),
                                new IngressId(2, IngressId.counter(4, 1)),
                                new IngressId(2, IngressId.counter(3, 7))));

        assertThat(HexFormat.of().formatHex(HeaderCodec.write(header)))
                .isEqualTo(
                        ("01" + "29" + "0163" + "0000000000000105" + "11")
                                + ("05" + "0000000000000001000002" + "0000000000000003000002")
                                + ("04" + "000002" + "3c" + "00" + "00")
                                + ("02" + "08" + "01" + "03612f2b" + "06" + "0107")
                                + ("03" + "1c" + "02")
                                + ("0000000000000010000002" + "ac02" + "03")
                                + ("0000000000000011000003" + "01" + "00")
                                + ("04" + "08" + "01" + "09" + "000002" + "03" + "08" + "01")
                                + ("05" + "11" + "01")
                                + ("0000000000000010000002" + "000002" + "03" + "07")
                                + ("06" + "0b" + "0000000000000011000003")
                                + ("07" + "0e" + "02" + "000002" + "03" + "07" + "01" + "02")
                                + ("000002" + "04" + "01" + "00")
                                + ("08" + "07" + "01" + "03612f2b" + "ac02"));
    }

    @Test
    void of_a_session_that_was_kept_says_since_when_it_has_a_filter_while_a_former_home_is_left() {
        assertThat(keptWith(List.of(new SessionMoves.Home(8, 2))).subscriptions())
                .extracting(each -> each.since())
                .containsExactly(2L);
        assertThat(keptWith(List.of()).subscriptions())
                .extracting(each -> each.since())
                .containsExactly(0L);
    }

    private static SessionHeader keptWith(List<SessionMoves.Home> former) {
        SessionRecord record =
                new SessionRecord(
                        0x105,
                        new HybridId(1, 2),
                        new HybridId(3, 2),
                        new Epoch(4, 2),
                        ProtocolVersion.MQTT_5,
                        60,
                        0,
                        null,
                        List.of(),
                        new SessionMoves(former, null, new SessionMoves.Given(9, 1, 0, 1, 3), 0));
        KeptSubscription filter =
                new KeptSubscription(TopicFilter.of("t"), 1, false, false, new int[0], 2);
        return SessionHeader.of(
                new KeptSession(
                        ClientId.of("c"),
                        record,
                        List.of(filter),
                        List.of(),
                        null,
                        List.of(),
                        null));
    }

    @Test
    void leaves_the_wills_that_are_owed_where_they_are_published() {
        f.connect(0, "d", false, 3600, RestartFixture.will(2, false, 0));
        subscribe(f.durable(1, "w"), 2, "will");
        f.node.settle();
        f.store.hold();
        f.connect(0, "d", false, 3600, null);
        assertThat(f.node.session("d").life().owedWills()).isEqualTo(1);
        assertThat(header().record().owedWills()).isEmpty();
    }
}
