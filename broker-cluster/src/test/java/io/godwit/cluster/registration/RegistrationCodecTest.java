package io.godwit.cluster.registration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.registration.RegistrationMessage.End;
import io.godwit.cluster.registration.RegistrationMessage.Ended;
import io.godwit.cluster.registration.RegistrationMessage.Granted;
import io.godwit.cluster.registration.RegistrationMessage.HasSession;
import io.godwit.cluster.registration.RegistrationMessage.NotLeader;
import io.godwit.cluster.registration.RegistrationMessage.OfStandIn;
import io.godwit.cluster.registration.RegistrationMessage.Refused;
import io.godwit.cluster.registration.RegistrationMessage.Register;
import io.godwit.cluster.registration.RegistrationMessage.Registered;
import io.godwit.cluster.registration.RegistrationMessage.Registration;
import io.godwit.cluster.registration.RegistrationMessage.TakenBack;
import io.godwit.cluster.registration.RegistrationMessage.Unregister;
import io.godwit.cluster.registration.RegistrationMessage.WillAnswered;
import io.godwit.cluster.registration.RegistrationMessage.WillDue;
import io.godwit.cluster.registration.RegistrationMessage.WillsDecided;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.takeover.ClaimingUser;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RegistrationCodecTest {
    private static final ClientId ID = ClientId.of("client");
    private static final Will WILL =
            new Will(
                    Topic.of("gone"),
                    2,
                    true,
                    new byte[] {1, 2},
                    30,
                    Properties.builder().add(Property.CONTENT_TYPE, "text").build());

    private static final List<RegistrationMessage> ALL =
            List.of(
                    new Register(ID, 1L << 40, 3, true, 0),
                    new Unregister(ID, 2),
                    new Ended(ID, 3),
                    new Registered(
                            1,
                            4,
                            7,
                            List.of(0, 300, 4095),
                            List.of(new Registration(ID, 5), new Registration(ID, 6))),
                    new Granted(8, 1),
                    new OfStandIn(new Granted(8, 1, 1L << 57)),
                    new HasSession(9, 1),
                    new Refused(10, 1, ReasonCode.SERVER_BUSY, "later"),
                    new TakenBack(1, 4, 7, List.of(3, 4095)),
                    new OfStandIn(new Register(ID, 12, 1, true, 0)),
                    new OfStandIn(
                            new Registered(
                                    0,
                                    1,
                                    7,
                                    List.of(5),
                                    List.of(new Registration(ID, 1L << 40, 1L << 57)))),
                    new OfStandIn(new End(ID, 13)),
                    new Register(ID, 14, 3, false, 7, WILL, null),
                    new Registered(
                            0, 1, 7, List.of(5), List.of(new Registration(ID, 15, 16, WILL, null))),
                    new Register(ID, 19, 3, true, 7, WILL, ClaimingUser.of("\u00e4nn")),
                    new Register(ID, 20, 3, false, 7, null, ClaimingUser.of(null)),
                    new Registered(
                            0,
                            1,
                            7,
                            List.of(5),
                            List.of(
                                    new Registration(ID, 21, 16, WILL, ClaimingUser.of("")),
                                    new Registration(ID, 22, 0, null, ClaimingUser.of(null)),
                                    new Registration(ID, 0, 16, null, ClaimingUser.of("ann")))),
                    new WillDue(ID, 17, WillDue.Source.EARLIER_START, WILL),
                    new WillAnswered(18, true),
                    new WillsDecided(7, List.of(3, 4095), List.of(2, (1 << 24) - 1)),
                    new End(ID, 11));

    @Test
    void messages_that_follow_each_other_are_read_as_they_were_written() {
        ByteWriter to = new ByteWriter(64);
        ALL.forEach(each -> RegistrationCodec.write(to, each));
        ByteReader from = new ByteReader(to.toBytes());
        List<RegistrationMessage> read = new ArrayList<>();
        while (!from.isAtEnd()) {
            read.add(RegistrationCodec.read(from));
        }
        assertThat(read).usingRecursiveComparison().isEqualTo(ALL);
    }

    @Test
    void row_of_a_table_is_carried_as_it_is() {
        ByteWriter to = new ByteWriter(64);
        RegistrationCodec.write(to, new NotLeader(5, 6, new byte[] {1, 2}));
        NotLeader read = (NotLeader) RegistrationCodec.read(new ByteReader(to.toBytes()));
        assertThat(read.number()).isEqualTo(5);
        assertThat(read.changes()).isEqualTo(6);
        assertThat(read.row()).containsExactly(1, 2);
    }

    @Test
    void message_that_is_cut_is_not_read() {
        for (RegistrationMessage each : ALL) {
            ByteWriter to = new ByteWriter(64);
            RegistrationCodec.write(to, each);
            for (int length = 0; length < to.length(); length++) {
                ByteReader cut = new ByteReader(to.array(), 0, length);
                assertThatThrownBy(() -> RegistrationCodec.read(cut))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
        }
    }

    @Test
    void message_of_a_stand_in_to_several_shards_is_split_by_slot() {
        List<List<RegistrationMessage>> byShard = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            byShard.add(new ArrayList<>());
        }
        OfStandIn message = new OfStandIn(new TakenBack(0, 1, 1, List.of(3, 4, 6)));
        RegistrationRoutes.route(message, 3, byShard);
        assertThat(byShard)
                .containsExactly(
                        List.of(new OfStandIn(new TakenBack(0, 1, 1, List.of(3, 6)))),
                        List.of(new OfStandIn(new TakenBack(0, 1, 1, List.of(4)))),
                        List.of());
    }

    @Test
    void message_to_several_shards_is_split_by_slot() {
        int shards = 3;
        ClientId other =
                Stream.iterate(1, i -> i + 1)
                        .map(i -> ClientId.of("other" + i))
                        .filter(each -> each.slot() % shards != ID.slot() % shards)
                        .findFirst()
                        .orElseThrow();
        int slot = ID.slot();
        Registered message =
                new Registered(
                        0,
                        1,
                        1,
                        List.of(Math.min(slot, other.slot()), Math.max(slot, other.slot())),
                        List.of(new Registration(ID, 1), new Registration(other, 2)));
        List<List<RegistrationMessage>> byShard = new ArrayList<>();
        for (int i = 0; i < shards; i++) {
            byShard.add(new ArrayList<>());
        }
        RegistrationRoutes.route(message, shards, byShard);
        assertThat(byShard.get(slot % shards))
                .containsExactly(
                        new Registered(0, 1, 1, List.of(slot), List.of(new Registration(ID, 1))));
        assertThat(byShard.stream().mapToInt(List::size).sum()).isEqualTo(2);
    }
}
