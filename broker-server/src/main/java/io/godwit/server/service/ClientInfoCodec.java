package io.godwit.server.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.session.SessionInfo;
import io.godwit.extension.packet.MqttVersion;
import io.godwit.extension.service.ClientInfo;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntFunction;

/**
 * Writes what one node says of a session, and reads what extensions are shown of it.
 *
 * <pre>
 * client id sized | version 1 | user sized, with a byte 1 before it, or nothing
 * | subscriptions varint | expiry s varint | since, epoch ms varint
 * | 0: not connected; 1: connected | node of the socket, 0: this one, else server id + 1 varint
 *   | address sized | listener sized | keep alive s varint | groups varint | group sized ...
 * </pre>
 */
final class ClientInfoCodec {
    private ClientInfoCodec() {}

    static byte[] text(String text) {
        return text.getBytes(UTF_8);
    }

    static String text(ByteReader from) {
        return new String(from.sized(), UTF_8);
    }

    static void write(SessionInfo info, ByteWriter to) {
        to.sized(text(info.clientId())).u8(info.version().ordinal());
        to.sized(info.user() == null ? new byte[0] : text("1" + info.user()));
        to.varint(info.subscriptionCount()).varint(info.expirySeconds()).varint(info.sinceMs());
        to.u8(info.connected() ? 1 : 0);
        if (info.connected()) {
            to.varint(info.edge() < 0 ? 0 : info.edge() + 1L);
            to.sized(text(info.remoteAddress())).sized(text(info.listener()));
            to.varint(info.keepAliveSeconds()).varint(info.groups().size());
            info.groups().forEach(each -> to.sized(text(each)));
        }
    }

    /**
     * @param server that has written it
     * @param names of nodes, by server id
     */
    static ClientInfo read(ByteReader from, int server, IntFunction<String> names) {
        String clientId = text(from);
        MqttVersion version = version(ProtocolVersion.values()[from.u8()]);
        String user = text(from);
        int subscriptions = from.smallInt();
        long expirySeconds = from.varint();
        Instant since = Instant.ofEpochMilli(from.varint());
        boolean isConnected = from.u8() == 1;
        Optional<ClientInfo.Connection> connection = Optional.empty();
        if (isConnected) {
            int edge = (int) from.varint() - 1;
            String address = text(from);
            String listener = text(from);
            int keepAliveSeconds = from.smallInt();
            List<String> groups = new ArrayList<>();
            for (int left = from.size(); left > 0; left--) {
                groups.add(text(from));
            }
            connection =
                    Optional.of(
                            new ClientInfo.Connection(
                                    names.apply(edge < 0 ? server : edge),
                                    address,
                                    listener,
                                    groups,
                                    keepAliveSeconds,
                                    since));
        }
        return new ClientInfo(
                clientId,
                names.apply(server),
                version,
                user.isEmpty() ? null : user.substring(1),
                connection,
                isConnected ? Optional.empty() : Optional.of(since),
                expirySeconds,
                subscriptions);
    }

    private static MqttVersion version(ProtocolVersion version) {
        return switch (version) {
            case MQTT_3_1 -> MqttVersion.V3_1;
            case MQTT_3_1_1 -> MqttVersion.V3_1_1;
            case MQTT_5 -> MqttVersion.V5;
        };
    }
}
