package io.godwit.server.config;

import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.PacketLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/** Makes the records of the values, and checks what concerns more than one key. */
final class ConfigAssembly {
    private final Values values;
    private final Path home;
    private final MemoryBudget budget;

    ConfigAssembly(Values values, Path home, MemoryBudget budget) {
        this.values = values;
        this.home = home;
        this.budget = budget;
    }

    /** The result counts only when no mistake was found. */
    Config assemble(Set<String> listenerNames) {
        AdminConfig admin = admin();
        NodeConfig node = node();
        MqttSettings mqtt = mqtt();
        StoreAssembly store = new StoreAssembly(values, budget);
        return new Config(
                node,
                server(),
                new ListenerAssembly(values, home).assemble(listenerNames, admin.bind()),
                new SecurityConfig(values.get(Keys.SECURITY_ANONYMOUS)),
                admin,
                new LogConfig(values.get(Keys.LOG_LEVEL), values.get(Keys.LOG_FORMAT)),
                new SysConfig(values.get(Keys.SYS_INTERVAL) * 1000),
                new StopConfig(values.get(Keys.STOP_TIMEOUT)),
                new SessionConfig(values.get(Keys.CLOCK_HOLD)),
                mqtt,
                limits(mqtt.maximumPacketSize()),
                overload(),
                store.durability(),
                store.store(node.data(), home),
                store.queues(mqtt.maximumPacketSize()));
    }

    private AdminConfig admin() {
        String token = values.get(Keys.ADMIN_TOKEN);
        return new AdminConfig(
                values.get(Keys.ADMIN_BIND).orElse(null),
                values.get(Keys.ADMIN_HOSTS),
                token.isEmpty() ? null : new Secret(token),
                values.get(Keys.ADMIN_REQUEST_TIMEOUT));
    }

    private NodeConfig node() {
        String name = values.get(Keys.NODE_NAME);
        String hostName = hostName();
        return new NodeConfig(
                name.isEmpty() ? hostName : name,
                hostName,
                home.resolve(values.get(Keys.NODE_DATA)).normalize(),
                values.get(Keys.NODE_MEMORY));
    }

    /** From the kernel: looking up one's own address may wait for DNS. */
    private static String hostName() {
        try {
            String name = Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
            if (!name.isEmpty()) return name;
        } catch (IOException e) {
            // Not Linux: the shell usually knows.
        }
        String name = System.getenv("HOSTNAME");
        return name == null || name.isBlank() ? "godwit" : name;
    }

    private ServerConfig server() {
        int shards = values.getInt(Keys.SERVER_SHARDS);
        return new ServerConfig(
                shards == 0 ? Runtime.getRuntime().availableProcessors() : shards,
                values.get(Keys.SERVER_TRANSPORT),
                values.getInt(Keys.SERVER_OPEN_FILES_RESERVE));
    }

    private MqttSettings mqtt() {
        long expiryMaximum = values.get(Keys.SESSION_EXPIRY_MAXIMUM);
        return new MqttSettings(
                values.getInt(Keys.RECEIVE_MAXIMUM),
                values.getInt(Keys.TOPIC_ALIAS_MAXIMUM),
                values.getInt(Keys.TOPIC_ALIAS_MAXIMUM_OUTBOUND),
                values.getInt(Keys.MAXIMUM_PACKET_SIZE),
                values.getInt(Keys.MAXIMUM_QOS),
                values.getInt(Keys.KEEP_ALIVE_MAXIMUM),
                values.get(Keys.RETAIN_AVAILABLE),
                values.get(Keys.WILDCARD_SUBSCRIPTIONS),
                values.get(Keys.SHARED_SUBSCRIPTIONS),
                values.get(Keys.SUBSCRIPTION_IDENTIFIERS),
                expiryMaximum,
                Math.min(values.get(Keys.SESSION_EXPIRY_3X), expiryMaximum),
                values.getInt(Keys.IN_FLIGHT_3X),
                values.get(Keys.SHARED_STRATEGY),
                values.get(Keys.RESPONSE_INFORMATION));
    }

    private LimitSettings limits(int packetMaximum) {
        return new LimitSettings(
                values.getInt(Keys.CONNECTIONS),
                values.getInt(Keys.CONNECT_RATE),
                values.get(Keys.CONNECT_TIMEOUT),
                values.getInt(Keys.TOPIC_LEVELS),
                values.getInt(Keys.SUBSCRIPTIONS_PER_CLIENT),
                values.getInt(Keys.QUEUE_MESSAGES),
                atLeastOnePacket(Keys.QUEUE_BYTES, values.get(Keys.QUEUE_BYTES), packetMaximum),
                values.getInt(Keys.RETAINED_MESSAGES),
                orShare(values.get(Keys.RETAINED_BYTES), budget.heapBytes() / 8),
                atLeastOnePacket(
                        Keys.PARTIAL_BYTES,
                        orShare(
                                values.get(Keys.PARTIAL_BYTES),
                                Math.max(budget.directBytes() / 4, 2L * packetMaximum)),
                        packetMaximum),
                orShare(values.get(Keys.SESSION_BYTES), budget.heapBytes() / 4),
                new PacketLimits(
                        values.getInt(Keys.CONNECT_PACKET_SIZE),
                        values.getInt(Keys.USER_PROPERTIES),
                        values.getInt(Keys.SUBSCRIBE_FILTERS),
                        values.get(Keys.PACKET_TIMEOUT)),
                new ClientLimits(
                        values.get(Keys.SUBSCRIPTION_BYTES), values.getInt(Keys.WILL_BYTES)));
    }

    private long atLeastOnePacket(Key<Long> key, long bytes, int packetMaximum) {
        if (bytes < packetMaximum) {
            values.refuse(
                    key.name(),
                    "must not be below mqtt.maximum-packet-size (" + packetMaximum + " bytes)");
        }
        return bytes;
    }

    private OverloadSettings overload() {
        int high = values.getInt(Keys.WRITE_HIGH_WATER);
        int low = values.getInt(Keys.WRITE_LOW_WATER);
        if (low >= high) {
            values.refuse(
                    Keys.WRITE_LOW_WATER.name(),
                    "must be below overload.write-high-water (" + high + " bytes)");
        }
        return new OverloadSettings(
                values.getInt(Keys.QOS0_SOFT_LIMIT),
                high,
                low,
                values.getInt(Keys.MAILBOX_HIGH_WATER),
                orShare(values.get(Keys.MEMORY_BYTES), budget.heapBytes() / 2),
                values.get(Keys.PARKED_BYTES),
                values.get(Keys.SLICE),
                orShare(values.get(Keys.OUTBOUND_BYTES), budget.directBytes() / 2),
                values.get(Keys.STUCK_TIME));
    }

    private static long orShare(long chosen, long share) {
        return chosen == 0 ? share : chosen;
    }
}
