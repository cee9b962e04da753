package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.PeerTls;
import io.godwit.core.auth.Subject;
import io.godwit.core.auth.rules.AccessList;
import io.godwit.core.connection.AuthenticatedConnect;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.settings.QueueBounds;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRules;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A CONNECT that another node has authenticated comes there as it was. */
class ConnectBytesTest {
    private static final int CONNECTS = 2_000;

    private final SplittableRandom random = new SplittableRandom(53);

    @ParameterizedTest
    @EnumSource
    void any_authenticated_connect_comes_back_as_it_was(ProtocolVersion version) {
        RandomPackets packets = new RandomPackets(random);
        for (int i = 0; i < CONNECTS; i++) {
            Packet packet = packets.next(PacketType.CONNECT, Role.SERVER, version);
            assertComesBack(authenticated(withoutSecrets((Packet.Connect) packet)));
        }
    }

    /** As it leaves the node of the client's socket: any of them may be a bridge. */
    private Packet.Connect withoutSecrets(Packet.Connect connect) {
        return new Packet.Connect(
                connect.version(),
                connect.clientId().length() == 0 ? ClientId.of("auto") : connect.clientId(),
                connect.cleanStart(),
                connect.keepAliveSeconds(),
                connect.will(),
                connect.userName(),
                null,
                random.nextBoolean(),
                connect.properties().without(Property.AUTHENTICATION_DATA));
    }

    private AuthenticatedConnect authenticated(Packet.Connect connect) {
        byte[] data = random.nextBoolean() ? null : new byte[random.nextInt(300)];
        if (data != null) {
            random.nextBytes(data);
        }
        return new AuthenticatedConnect(
                connect,
                random.nextBoolean(),
                random.nextInt(4) == 0 ? 0 : random.nextLong(1L << 32),
                data,
                new Peer(
                        "[2001:db8::" + random.nextInt(9) + "]:50412",
                        random.nextBoolean(),
                        random.nextBoolean() ? "mqtt" : "mqtts-\u00fc\u4e2d",
                        tls()),
                Identity.ANONYMOUS,
                random.nextLong());
    }

    private PeerTls tls() {
        return PeerTls.of(
                random.nextBoolean() ? "TLSv1.2" : null,
                random.nextBoolean() ? "b.example.org" : null,
                random.nextBoolean(),
                random.nextBoolean() ? "dev-1" : null);
    }

    private static byte[] written(AuthenticatedConnect connect) {
        ByteWriter to = new ByteWriter(16);
        connect.write(to);
        return to.toBytes();
    }

    private static void assertComesBack(AuthenticatedConnect connect) {
        byte[] bytes = written(connect);
        ByteReader from = new ByteReader(bytes);
        AuthenticatedConnect read = AuthenticatedConnect.read(from);
        assertThat(from.isAtEnd()).isTrue();
        assertThat(shown(read)).isEqualTo(shown(connect));
        assertThat(read.authenticationData()).isEqualTo(connect.authenticationData());
        assertThat(mqtt(read.connect())).isEqualTo(mqtt(connect.connect()));
        assertThat(written(read)).isEqualTo(bytes);
    }

    private static String shown(AuthenticatedConnect connect) {
        return connect.toString().replaceAll("\\[B@\\w+", "");
    }

    private static ByteBuf mqtt(Packet.Connect connect) {
        ByteBuf out = Unpooled.buffer();
        PacketEncoder.encode(connect, connect.version(), out);
        return out;
    }

    private static AuthenticatedConnect of(
            ProtocolVersion version, @Nullable String userName, @Nullable Will will) {
        return new AuthenticatedConnect(
                new Packet.Connect(
                        version,
                        ClientId.of("c"),
                        true,
                        60,
                        will,
                        userName,
                        null,
                        true,
                        Properties.NONE),
                false,
                0,
                null,
                new Peer("127.0.0.1:1", true, "mqtt"),
                Identity.ANONYMOUS,
                0);
    }

    @Test
    void identity_comes_with_its_groups_rules_and_limits() throws Exception {
        AccessRules rules =
                AccessRules.of(AccessRule.allow(AccessRule.Action.PUBLISH).topic("t/%c/#").build());
        Identity identity =
                new Identity(
                        "ann",
                        List.of("fleet", "b"),
                        Map.of("tenant", "x"),
                        AccessList.ofIdentity(rules),
                        60,
                        new ClientSettings(
                                7,
                                8,
                                9L << 40,
                                new QueueBounds(10, 11L << 40, QueuePolicy.REJECT),
                                12,
                                13),
                        "users");
        AuthenticatedConnect plain = of(ProtocolVersion.MQTT_5, "ann", null);
        AuthenticatedConnect connect =
                new AuthenticatedConnect(
                        plain.connect(),
                        false,
                        0,
                        null,
                        new Peer(
                                "[2001:db8::1]:1",
                                false,
                                "mqtts",
                                new PeerTls("TLSv1.3", "b.example.org", true, "dev-1")),
                        identity,
                        5);
        AuthenticatedConnect read = AuthenticatedConnect.read(new ByteReader(written(connect)));
        assertThat(read.peer()).isEqualTo(connect.peer());
        assertThat(read.identity().userName()).isEqualTo("ann");
        assertThat(read.identity().authenticator()).isEqualTo("users");
        assertThat(read.identity().groups()).containsExactly("fleet", "b");
        assertThat(read.identity().attributes()).isEqualTo(Map.of("tenant", "x"));
        assertThat(read.identity().connectSeconds()).isEqualTo(60);
        assertThat(read.identity().settings()).isEqualTo(identity.settings());
        Access access =
                Objects.requireNonNull(read.identity().access())
                        .of(new Subject(ClientId.of("c"), read.identity(), read.peer()));
        assertThat(access.mayPublish(Topic.of("t/c/x"), 1, false)).isTrue();
        assertThat(access.mayPublish(Topic.of("t/d/x"), 1, false)).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void user_name_and_bridge_come_without_a_password(ProtocolVersion version) {
        AuthenticatedConnect connect = of(version, "user", null);
        assertComesBack(connect);
        Packet.Connect read = AuthenticatedConnect.read(new ByteReader(written(connect))).connect();
        assertThat(read.userName()).isEqualTo("user");
        assertThat(read.password()).isNull();
        assertThat(read.bridge()).isTrue();
    }

    @Test
    void a_will_as_large_as_they_get_comes_back() {
        Will will =
                new Will(
                        Topic.of("t".repeat(65_535)),
                        2,
                        true,
                        new byte[65_535],
                        0xFFFF_FFFFL,
                        Properties.builder()
                                .add(Property.CORRELATION_DATA, new byte[65_535])
                                .build());
        assertComesBack(of(ProtocolVersion.MQTT_5, "u".repeat(65_535), will));
    }

    @Test
    void bytes_that_end_too_early_are_no_connect() {
        byte[] bytes = written(of(ProtocolVersion.MQTT_5, "user", null));
        for (int i = 0; i < bytes.length; i++) {
            byte[] part = Arrays.copyOf(bytes, i);
            assertThatThrownBy(() -> AuthenticatedConnect.read(new ByteReader(part)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void changed_bytes_are_another_connect_or_an_index_out_of_bounds() {
        RandomPackets packets = new RandomPackets(random, false);
        int refused = 0;
        for (int i = 0; i < 20_000; i++) {
            ProtocolVersion version = ProtocolVersion.values()[random.nextInt(3)];
            Packet packet = packets.next(PacketType.CONNECT, Role.SERVER, version);
            byte[] bytes = written(authenticated(withoutSecrets((Packet.Connect) packet)));
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
            try {
                AuthenticatedConnect.read(new ByteReader(bytes));
            } catch (IndexOutOfBoundsException expected) {
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 19_000);
    }

    @Test
    void a_password_or_an_empty_client_id_is_not_taken_from_another_node() {
        Packet.Connect password =
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of("c"),
                        true,
                        0,
                        null,
                        "u",
                        new byte[] {1},
                        false,
                        Properties.NONE);
        Packet.Connect noId =
                new Packet.Connect(
                        ProtocolVersion.MQTT_5,
                        ClientId.of(""),
                        true,
                        0,
                        null,
                        null,
                        null,
                        false,
                        Properties.NONE);
        for (Packet.Connect each : new Packet.Connect[] {password, noId}) {
            byte[] bytes = written(authenticated(each));
            assertThatThrownBy(() -> AuthenticatedConnect.read(new ByteReader(bytes)))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }
}
