package io.godwit.server.config;

import io.godwit.core.settings.ClientLimits;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.PacketLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes the records of the values, and checks what concerns more than one key. */
final class ConfigAssembly {
    /** What one client may have in memory: this part of the memory alarm's mark, not more. */
    private static final int OF_CLIENT_SHARE = 8;

    private static final long OF_CLIENT_MAX = 64L << 20;

    /** Users, rules and revocation lists take this part of the heap at most. */
    private static final int FILES_HEAP_SHARE = 8;

    private final Values values;
    private final ConfigFolders folders;
    private final @Nullable UsersConfig users;

    /** Holds what hashing passwords leaves of the heap: other defaults are shares of it. */
    private final MemoryBudget budget;

    ConfigAssembly(Values values, ConfigFolders folders, MemoryBudget budget) {
        this.values = values;
        this.folders = folders;
        users = new UsersAssembly(values, folders, budget).assemble();
        this.budget = users == null ? budget : budget.withoutHeap(users.hashBytes());
    }

    /** The result counts only when no mistake was found. */
    Config assemble(List<Assignment> written) {
        Set<String> listenerNames = ConfigLoader.namesOfListeners(written);
        AdminConfig admin = admin();
        NodeConfig node = node();
        MqttSettings mqtt = mqtt();
        List<ListenerConfig> listeners =
                new ListenerAssembly(values, folders).assemble(listenerNames, admin.bind());
        StoreAssembly store = new StoreAssembly(values, budget);
        return new Config(
                node,
                server(),
                listeners,
                security(listeners),
                admin,
                new LogConfig(values.get(NodeKeys.LOG_LEVEL), values.get(NodeKeys.LOG_FORMAT)),
                new SysConfig(values.get(NodeKeys.SYS_INTERVAL) * 1000),
                new StopConfig(values.get(NodeKeys.STOP_TIMEOUT)),
                new SessionConfig(values.get(NodeKeys.CLOCK_HOLD)),
                new ClusterAssembly(values, folders).assemble(),
                mqtt,
                limits(mqtt.maximumPacketSize()),
                overload(),
                store.durability(),
                store.store(node.data(), folders),
                store.queues(mqtt.maximumPacketSize()),
                new ReloadConfig(values.get(NodeKeys.TLS_RELOAD) * 1000),
                new ExtensionsAssembly(values, folders).assemble(written));
    }

    private SecurityConfig security(List<ListenerConfig> listeners) {
        List<String> authenticators = authenticators(users != null);
        boolean isAuthenticating =
                !authenticators.isEmpty()
                        || listeners.stream()
                                .anyMatch(each ->
                                        !each.authenticators().isEmpty()
                                                || each.identity().source()
                                                        != TlsConfig.IdentitySource.NONE);
        SecurityConfig.Anonymous anonymous = values.get(SecurityKeys.ANONYMOUS);
        SecurityConfig.Owner owner = values.get(SecurityKeys.SESSION_OWNER);
        SecurityConfig.Auto auto =
                new SecurityConfig.Auto(
                        isAuto(values.get(SecurityKeys.AUTHENTICATORS)),
                        anonymous == SecurityConfig.Anonymous.AUTO,
                        owner == SecurityConfig.Owner.AUTO);
        if (anonymous == SecurityConfig.Anonymous.AUTO) {
            anonymous =
                    isAuthenticating
                            ? SecurityConfig.Anonymous.NOBODY
                            : SecurityConfig.Anonymous.LOOPBACK;
        }
        if (owner == SecurityConfig.Owner.AUTO) {
            owner = isAuthenticating ? SecurityConfig.Owner.USER : SecurityConfig.Owner.ANYONE;
        }
        String rules = values.get(SecurityKeys.RULES);
        return new SecurityConfig(
                anonymous,
                authenticators,
                auto,
                values.get(SecurityKeys.AUTHENTICATE_TIME),
                owner,
                users,
                values.get(UsersKeys.RELOAD),
                rules.isEmpty() ? null : folders.resolve(rules),
                budget.heapBytes() / FILES_HEAP_SHARE,
                authorizers());
    }

    private static boolean isAuto(List<String> chosen) {
        return chosen.equals(List.of(SecurityConfig.AUTO));
    }

    private List<String> authenticators(boolean hasUsers) {
        List<String> chosen = values.get(SecurityKeys.AUTHENTICATORS);
        if (chosen.contains(SecurityConfig.USERS) && !hasUsers) {
            values.refuse(
                    SecurityKeys.AUTHENTICATORS.name(), "users needs security.users to be set");
        }
        if (!isAuto(chosen)) {
            if (chosen.contains(SecurityConfig.AUTO)) {
                values.refuse(
                        SecurityKeys.AUTHENTICATORS.name(), "auto stands alone, without others");
            }
            return chosen;
        }
        return hasUsers ? List.of(SecurityConfig.USERS) : List.of();
    }

    private @Nullable List<String> authorizers() {
        List<String> chosen = values.get(SecurityKeys.AUTHORIZERS);
        if (isAuto(chosen)) {
            return null;
        }
        String name = SecurityKeys.AUTHORIZERS.name();
        int rules = chosen.indexOf(SecurityConfig.RULES);
        if (chosen.isEmpty()) {
            values.refuse(name, "at least one has to be named, or auto");
        } else if (chosen.contains(SecurityConfig.AUTO)) {
            values.refuse(name, "auto stands alone, without others");
        } else if (rules >= 0 && rules < chosen.size() - 1) {
            values.refuse(name, "rules leaves nothing open: it has to be the last one");
        } else if (chosen.contains(SecurityConfig.USERS)) {
            values.refuse(name, "users says who a client is, and not what it may do");
        }
        return chosen;
    }

    private AdminConfig admin() {
        String token = values.get(NodeKeys.ADMIN_TOKEN);
        return new AdminConfig(
                values.get(NodeKeys.ADMIN_BIND).orElse(null),
                values.get(NodeKeys.ADMIN_HOSTS),
                token.isEmpty() ? null : new Secret(token),
                values.get(NodeKeys.ADMIN_REQUEST_TIMEOUT));
    }

    private NodeConfig node() {
        String name = values.get(NodeKeys.NODE_NAME);
        String hostName = hostName();
        return new NodeConfig(
                name.isEmpty() ? hostName : name,
                hostName,
                data(),
                values.get(NodeKeys.NODE_MEMORY));
    }

    /**
     * Returns the data folder; its default is beside the program, wherever the configuration is.
     */
    private Path data() {
        String chosen = values.get(NodeKeys.NODE_DATA);
        return values.isSet(NodeKeys.NODE_DATA.name())
                ? folders.resolve(chosen)
                : folders.home().resolve(chosen);
    }

    /** The host's name from the kernel: looking up one's own address may wait for DNS. */
    static String hostName() {
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
        int shards = values.getInt(NodeKeys.SERVER_SHARDS);
        return new ServerConfig(
                shards == 0 ? Runtime.getRuntime().availableProcessors() : shards,
                values.get(NodeKeys.SERVER_TRANSPORT),
                values.getInt(NodeKeys.SERVER_OPEN_FILES_RESERVE));
    }

    private MqttSettings mqtt() {
        long expiryMaximum = values.get(MqttKeys.SESSION_EXPIRY_MAXIMUM);
        return new MqttSettings(
                values.getInt(MqttKeys.RECEIVE_MAXIMUM),
                values.getInt(MqttKeys.TOPIC_ALIAS_MAXIMUM),
                values.getInt(MqttKeys.TOPIC_ALIAS_MAXIMUM_OUTBOUND),
                values.getInt(MqttKeys.MAXIMUM_PACKET_SIZE),
                values.getInt(MqttKeys.MAXIMUM_QOS),
                values.getInt(MqttKeys.KEEP_ALIVE_MAXIMUM),
                values.get(MqttKeys.RETAIN_AVAILABLE),
                values.get(MqttKeys.WILDCARD_SUBSCRIPTIONS),
                values.get(MqttKeys.SHARED_SUBSCRIPTIONS),
                values.get(MqttKeys.SUBSCRIPTION_IDENTIFIERS),
                expiryMaximum,
                Math.min(values.get(MqttKeys.SESSION_EXPIRY_3X), expiryMaximum),
                values.getInt(MqttKeys.IN_FLIGHT_3X),
                values.get(MqttKeys.SHARED_STRATEGY),
                values.get(MqttKeys.RESPONSE_INFORMATION),
                values.get(MqttKeys.CONTROL_CHARACTERS) == MqttKeys.ControlCharacters.ALLOW);
    }

    private LimitSettings limits(int packetMaximum) {
        long ofClient = Math.min(OF_CLIENT_MAX, memoryBytes() / OF_CLIENT_SHARE);
        return new LimitSettings(
                values.getInt(LimitKeys.CONNECTIONS),
                values.getInt(LimitKeys.CONNECT_RATE),
                values.get(LimitKeys.CONNECT_TIMEOUT),
                values.getInt(LimitKeys.TOPIC_LEVELS),
                values.getInt(LimitKeys.SUBSCRIPTIONS_PER_CLIENT),
                values.getInt(LimitKeys.QUEUE_MESSAGES),
                atLeastOnePacket(
                        LimitKeys.QUEUE_BYTES,
                        orShare(
                                values.get(LimitKeys.QUEUE_BYTES),
                                Math.max(ofClient, packetMaximum)),
                        packetMaximum),
                values.getInt(LimitKeys.RETAINED_MESSAGES),
                orShare(values.get(LimitKeys.RETAINED_BYTES), budget.heapBytes() / 8),
                atLeastOnePacket(
                        LimitKeys.PARTIAL_BYTES,
                        orShare(
                                values.get(LimitKeys.PARTIAL_BYTES),
                                Math.max(budget.directBytes() / 4, 2L * packetMaximum)),
                        packetMaximum),
                orShare(values.get(LimitKeys.SESSION_BYTES), budget.heapBytes() / 4),
                new PacketLimits(
                        values.getInt(LimitKeys.CONNECT_PACKET_SIZE),
                        values.getInt(LimitKeys.USER_PROPERTIES),
                        values.getInt(LimitKeys.SUBSCRIBE_FILTERS),
                        values.get(LimitKeys.PACKET_TIMEOUT)),
                new ClientLimits(
                        values.get(LimitKeys.SUBSCRIPTION_BYTES),
                        values.getInt(LimitKeys.IDENTIFIERS_PER_MESSAGE),
                        values.getInt(LimitKeys.WILL_BYTES),
                        orShare(values.get(LimitKeys.IN_FLIGHT_BYTES), ofClient),
                        values.getInt(LimitKeys.SESSIONS_PER_USER),
                        values.getInt(LimitKeys.SESSIONS_PER_ADDRESS),
                        values.getInt(LimitKeys.CONNECTIONS_PER_USER),
                        values.getInt(LimitKeys.CONNECTIONS_PER_ADDRESS),
                        values.getInt(LimitKeys.PUBLISH_RATE),
                        values.get(LimitKeys.PUBLISH_BYTES)));
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
        int high = values.getInt(OverloadKeys.WRITE_HIGH_WATER);
        int low = values.getInt(OverloadKeys.WRITE_LOW_WATER);
        if (low >= high) {
            values.refuse(
                    OverloadKeys.WRITE_LOW_WATER.name(),
                    "must be below overload.write-high-water (" + high + " bytes)");
        }
        return new OverloadSettings(
                values.getInt(OverloadKeys.QOS0_SOFT_LIMIT),
                high,
                low,
                values.getInt(OverloadKeys.MAILBOX_HIGH_WATER),
                memoryBytes(),
                values.get(OverloadKeys.PARKED_BYTES),
                values.get(OverloadKeys.SLICE),
                orShare(values.get(OverloadKeys.OUTBOUND_BYTES), budget.directBytes() / 2),
                values.get(OverloadKeys.STUCK_TIME));
    }

    private long memoryBytes() {
        return orShare(values.get(OverloadKeys.MEMORY_BYTES), budget.heapBytes() / 2);
    }

    private static long orShare(long chosen, long share) {
        return chosen == 0 ? share : chosen;
    }
}
