package io.godwit.server.config;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.Network;
import io.godwit.core.settings.SharedStrategy;
import io.godwit.server.config.ListenerConfig.Type;
import io.godwit.server.config.TlsConfig.ClientAuth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {
    private static final MemoryBudget BUDGET = new MemoryBudget(1L << 30, 256L << 20, 128L << 20);
    private static final Path HOME = Path.of("/opt/godwit");
    private static final ConfigFolders FOLDERS = new ConfigFolders(HOME, HOME);
    @TempDir Path folder;
    private Path file;

    @BeforeEach
    void noFileYet() {
        file = folder.resolve("godwit.yaml");
    }

    private Config load(String yaml, Map<String, String> environment, String... sets)
            throws ConfigException, IOException {
        Files.writeString(file, yaml);
        return ConfigLoader.load(file, environment, List.of(sets), FOLDERS, BUDGET);
    }

    private Config load(String yaml, String... sets) throws ConfigException, IOException {
        return load(yaml, Map.of(), sets);
    }

    private List<String> mistakes(String yaml, Map<String, String> environment, String... sets) {
        ConfigException failure =
                catchThrowableOfType(ConfigException.class, () -> load(yaml, environment, sets));
        assertThat(failure).as("the configuration is refused").isNotNull();
        return failure.problems().stream()
                .map(ConfigProblem::toString)
                .map(line -> line.replace(file + " ", ""))
                .toList();
    }

    private List<String> mistakes(String yaml, String... sets) {
        return mistakes(yaml, Map.of(), sets);
    }

    @Test
    void without_a_file_everything_has_its_default() throws Exception {
        Config config = ConfigLoader.load(null, Map.of(), List.of(), FOLDERS, BUDGET);
        assertThat(config.mqtt()).isEqualTo(MqttSettings.DEFAULTS);
        LimitSettings limits = LimitSettings.DEFAULTS;
        assertThat(config.limits().connections()).isEqualTo(limits.connections());
        assertThat(config.limits().queueBytes()).isEqualTo(limits.queueBytes());
        assertThat(config.listeners())
                .extracting(ListenerConfig::name)
                .containsExactly("mqtt", "ws");
        assertThat(config.listeners()).extracting(l -> l.bind().port()).containsExactly(1883, 8083);
        assertThat(config.security().anonymous()).isEqualTo(SecurityConfig.Anonymous.LOOPBACK);
        assertThat(config.admin().bind()).isEqualTo(new BindAddress("127.0.0.1", 8081));
        assertThat(config.node().data()).isEqualTo(Path.of("/opt/godwit/data"));
        assertThat(config.node().name()).isNotEmpty();
        assertThat(config.server().shards()).isPositive();
        assertThat(config.sys().intervalMs()).isEqualTo(10_000);
    }

    @Test
    void shares_of_the_memory_follow_the_budget_until_they_are_set() throws Exception {
        Config config = load("");
        assertThat(config.limits().retainedBytes()).isEqualTo(128L << 20);
        assertThat(config.limits().partialBytes()).isEqualTo(64L << 20);
        assertThat(config.overload().memoryBytes()).isEqualTo(512L << 20);
        assertThat(load("", "limits.retained-bytes=5MiB").limits().retainedBytes())
                .isEqualTo(5L << 20);
    }

    @Test
    void the_file_then_the_environment_then_set_has_the_last_word() throws Exception {
        String yaml = "mqtt:\n  maximum-qos: 0\n  receive-maximum: 1\n  topic-alias-maximum: 1\n";
        Map<String, String> environment =
                Map.of("GODWIT_MQTT_RECEIVE_MAXIMUM", "2", "GODWIT_MQTT_TOPIC_ALIAS_MAXIMUM", "2");
        MqttSettings mqtt =
                load(yaml, environment, "mqtt.topic-alias-maximum=3", "mqtt.topic-alias-maximum=4")
                        .mqtt();
        assertThat(mqtt.maximumQos()).isZero();
        assertThat(mqtt.receiveMaximum()).isEqualTo(2);
        assertThat(mqtt.topicAliasMaximum()).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource({
        "16MiB, 16777216",
        "16 MiB, 16777216",
        "16m, 16777216",
        "2000000, 2000000",
        "2000000B, 2000000",
        "3MB, 3000000",
        "1024KiB, 1048576"
    })
    void sizes_have_units(String text, int bytes) throws Exception {
        Config config = load("", "mqtt.maximum-packet-size=" + text);
        assertThat(config.mqtt().maximumPacketSize()).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({"300, 300", "300ms, 300", "2s, 2000", "1m, 60000", "200000us, 200"})
    void times_have_units(String text, long millis) throws Exception {
        Config config = load("limits: {connect-timeout: " + text + "}");
        assertThat(config.limits().connectTimeoutMs()).isEqualTo(millis);
    }

    @Test
    void words_stand_for_values() throws Exception {
        Config config =
                load(
                        "",
                        "mqtt.session-expiry-maximum=never",
                        "mqtt.session-expiry-3x=never",
                        "mqtt.shared-strategy=least-in-flight",
                        "admin.bind=none");
        assertThat(config.mqtt().sessionExpiryMaximum()).isEqualTo(0xFFFF_FFFFL);
        assertThat(config.mqtt().sessionExpiry3x()).isEqualTo(0xFFFF_FFFFL);
        assertThat(config.mqtt().sharedStrategy()).isEqualTo(SharedStrategy.LEAST_IN_FLIGHT);
        assertThat(config.admin().bind()).isNull();
    }

    @Test
    void the_maximum_bounds_the_expiry_of_3x_sessions() throws Exception {
        assertThat(load("mqtt.session-expiry-maximum: 1h").mqtt().sessionExpiry3x())
                .isEqualTo(3600);
    }

    @Test
    void all_mistakes_come_at_once_with_line_key_value_and_what_is_allowed() {
        String yaml =
                """
                mqtt:
                  receive-maximum: 70000
                  recieve-maximum: 5
                limits:
                  connect-timeout: soon
                  queue-bytes: 1.5MiB
                retain-available: true
                """;
        Map<String, String> environment =
                Map.of("GODWIT_LOG_LEVEL", "loud", "GODWIT_MQTT_RECIEVE_MAXIMUM", "7");
        assertThat(mistakes(yaml, environment, "log.format=xml", "nonsense", "mqtt=5"))
                .containsExactlyInAnyOrder(
                        "line 2: mqtt.receive-maximum = 70000: allowed: 1..65535",
                        "line 3: mqtt.recieve-maximum = 5: unknown key, did you mean"
                                + " mqtt.receive-maximum",
                        "line 5: limits.connect-timeout = soon: allowed: 100ms..10m (plain number:"
                                + " ms)",
                        "line 6: limits.queue-bytes = 1.5MiB: allowed: 0, 1KiB..1TiB (plain number:"
                                + " bytes)",
                        "line 7: retain-available = true: unknown key, did you mean"
                                + " mqtt.retain-available",
                        "GODWIT_LOG_LEVEL: log.level = loud: allowed: error, warn, info, debug,"
                                + " trace",
                        "environment: GODWIT_MQTT_RECIEVE_MAXIMUM = 7: unknown variable, did you mean"
                                + " GODWIT_MQTT_RECEIVE_MAXIMUM",
                        "--set: log.format = xml: allowed: text, json",
                        "--set: nonsense: must look like key=value",
                        "--set: mqtt = 5: is a section: its keys stand below it, indented");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "mqtt.maximum-qos | 3",
                "mqtt.maximum-qos | -1",
                "mqtt.maximum-qos | 1KiB",
                "mqtt.maximum-qos | 99999999999999999999",
                "mqtt.maximum-packet-size | 512",
                "mqtt.maximum-packet-size | 16XiB",
                "mqtt.session-expiry-maximum | 500ms",
                "mqtt.session-expiry-maximum | 9223372036854775807d",
                "mqtt.retain-available | yes",
                "mqtt.keep-alive-maximum | never",
                "limits.retained-bytes | 5",
                "node.name | two words",
                "node.memory | 10MiB",
                "admin.bind | localhost",
                "admin.bind | ::1:8081",
                "admin.bind | 127.0.0.1:70000",
                "listeners.mqtt.bind | none",
                "listeners.ws.paths | mqtt",
                "listeners.ws.enabled | 1",
                "listeners.x.tls.protocols | TLSv1.1",
                "listeners.x.tls.protocols | TLSv1.3,TLSv1.3",
            })
    void what_is_outside_is_refused_by_what_is_allowed(String key, String value) {
        Key<?> known = KnownKeys.find(key).orElseThrow();
        assertThat(mistakes("", key + "=" + value))
                .contains("--set: " + key + " = " + value + ": allowed: " + known.type().allowed());
    }

    @Test
    void listeners_are_merged_by_name_from_everywhere() throws Exception {
        String yaml =
                """
                listeners:
                  a-b:
                    bind: 127.0.0.1:1884
                  secure:
                    type: wss
                    paths: /x
                    tls:
                      certificate: server.pem
                      key: /etc/server.key
                      protocols: [TLSv1.3]
                """;
        Map<String, String> environment =
                Map.of(
                        "GODWIT_LISTENERS_A_B_BACKLOG", "7",
                        "GODWIT_LISTENERS_SECURE_TLS_CLIENT_CA", "ca.pem",
                        "GODWIT_LISTENERS_NEW_ONE_BIND", "[::1]:0");
        Config config =
                load(yaml, environment, "listeners.a-b.bind=1885", "listeners.other.enabled=false");
        assertThat(config.listeners())
                .extracting(ListenerConfig::name)
                .containsExactly("a-b", "secure", "new-one");
        ListenerConfig plain = config.listeners().getFirst();
        assertThat(plain.bind()).isEqualTo(new BindAddress("", 1885));
        assertThat(plain.backlog()).isEqualTo(7);
        assertThat(plain.paths()).isEmpty();
        assertThat(plain.tls()).isNull();
        ListenerConfig secure = config.listeners().get(1);
        assertThat(secure.type()).isEqualTo(Type.WSS);
        assertThat(secure.bind()).hasToString("8084");
        assertThat(secure.paths()).containsExactly("/x");
        assertThat(secure.headerBytesMax()).isEqualTo(32 << 10);
        TlsConfig tls = secure.tls();
        assertThat(tls).isNotNull();
        assertThat(tls.certificate()).isEqualTo(HOME.resolve("server.pem"));
        assertThat(tls.key()).isEqualTo(Path.of("/etc/server.key"));
        assertThat(tls.clientCa()).isEqualTo(HOME.resolve("ca.pem"));
        assertThat(tls.clientAuth()).isEqualTo(ClientAuth.REQUIRED);
        assertThat(tls.protocols()).containsExactly("TLSv1.3");
        assertThat(config.listeners().get(2).bind()).isEqualTo(new BindAddress("::1", 0));
    }

    @Test
    void a_listener_may_have_certificates_by_host_name_revocation_lists_and_an_identity()
            throws Exception {
        String yaml =
                """
                listeners:
                  secure:
                    type: tls
                    tls:
                      certificate: a.pem
                      key: a.key
                      client-ca: ca.pem
                      client-crl: [ca.crl, /etc/other.crl]
                      client-crl-expired: accept
                      identity: san-dns
                      identity-for: both
                      identity-and-password: true
                      names:
                        b.example.org: {certificate: b.pem, key: b.key}
                        "*.c.example.org":
                          certificate: /etc/c.pem
                          key: /etc/c.key
                """;
        TlsConfig tls = load(yaml, Map.of()).listeners().getFirst().tls();

        assertThat(tls).isNotNull();
        assertThat(tls.clientCrl())
                .containsExactly(HOME.resolve("ca.crl"), Path.of("/etc/other.crl"));
        assertThat(tls.clientCrlExpired()).isEqualTo(TlsConfig.ExpiredCrl.ACCEPT);
        assertThat(tls.identity())
                .isEqualTo(
                        new TlsConfig.Identity(
                                TlsConfig.IdentitySource.SAN_DNS,
                                TlsConfig.IdentityUse.BOTH,
                                true));
        assertThat(tls.names())
                .isEqualTo(
                        Map.of(
                                "b.example.org",
                                new TlsConfig.Pair(HOME.resolve("b.pem"), HOME.resolve("b.key")),
                                "*.c.example.org",
                                new TlsConfig.Pair(Path.of("/etc/c.pem"), Path.of("/etc/c.key"))));
    }

    @Test
    void keys_about_clients_certificates_need_each_other() {
        assertThat(
                        mistakes(
                                "listeners: {t: {type: tls, tls: {certificate: c, key: k}}}",
                                "listeners.t.tls.client-crl=x.crl",
                                "listeners.t.tls.client-crl-expired=accept",
                                "listeners.t.tls.identity-for=client-id",
                                "listeners.t.tls.names.b.org.key=b.key"))
                .containsExactlyInAnyOrder(
                        "--set: listeners.t.tls.client-crl = x.crl: needs tls.client-ca, and a"
                                + " tls.client-auth other than none",
                        "--set: listeners.t.tls.identity-for = client-id: needs tls.identity to be"
                                + " set",
                        "configuration: listeners.t.tls.names.b.org.certificate: must be set: a"
                                + " name needs certificate and key");
        assertThat(
                        mistakes(
                                "listeners: {t: {type: tls, tls: {certificate: c, key: k}}}",
                                "listeners.t.tls.client-crl-expired=accept",
                                "listeners.t.tls.identity=cn",
                                "listeners.t.tls.names.<name>.key=b.key",
                                "listeners.mqtt.tls.names.b.org.key=b.key"))
                .contains(
                        "--set: listeners.t.tls.client-crl-expired = accept: needs tls.client-crl to"
                                + " be set",
                        "--set: listeners.t.tls.identity = cn: needs tls.client-ca, and a"
                                + " tls.client-auth other than none")
                .anyMatch(each ->
                        each.startsWith("--set: listeners.t.tls.names.<name>.key = b.key: unknown"))
                .anyMatch(each ->
                        each.startsWith(
                                "configuration: listeners.mqtt.tls.names.b.org.certificate"));
    }

    @Test
    void paths_of_a_web_socket_are_a_list() throws Exception {
        assertThat(load("", Map.of(), "listeners.ws.paths=/x").listeners())
                .filteredOn(listener -> listener.type() == Type.WS)
                .extracting(ListenerConfig::paths)
                .containsExactly(List.of("/x"));
        assertThat(load("listeners: {ws: {type: ws, paths: [/, /y]}}", Map.of()).listeners())
                .filteredOn(listener -> listener.type() == Type.WS)
                .extracting(ListenerConfig::paths)
                .containsExactly(List.of("/", "/y"));
    }

    @Test
    void proxies_of_a_listener_are_networks_and_addresses() throws Exception {
        Config config =
                load(
                        """
                        listeners:
                          mqtt: {type: tcp, proxy-protocol: true, trusted-proxies: [10.0.0.0/8, '::1']}
                          ws: {type: ws, trusted-proxies: 192.0.2.7}
                        """,
                        Map.of());
        ProxyConfig mqtt = config.listeners().get(0).proxies();
        assertThat(mqtt.protocol()).isTrue();
        assertThat(mqtt.trusted())
                .extracting(Network::toString)
                .containsExactly("10.0.0.0/8", "0:0:0:0:0:0:0:1");
        assertThat(mqtt.isTrusted(new byte[] {10, 1, 2, 3})).isTrue();
        assertThat(mqtt.isTrusted(new byte[] {11, 1, 2, 3})).isFalse();
        ProxyConfig ws = config.listeners().get(1).proxies();
        assertThat(ws.protocol()).isFalse();
        assertThat(ws.trusted()).extracting(Network::toString).containsExactly("192.0.2.7");
        assertThat(load("", Map.of()).listeners())
                .extracting(ListenerConfig::proxies)
                .containsOnly(ProxyConfig.NONE);
    }

    @Test
    void proxies_that_are_not_named_or_can_not_count_are_refused() {
        assertThat(
                        mistakes(
                                "",
                                "listeners.mqtt.proxy-protocol=true",
                                "listeners.a.proxy-protocol=true",
                                "listeners.a.trusted-proxies=",
                                "listeners.a.bind=1",
                                "listeners.b.proxy-protocol=true",
                                "listeners.b.trusted-proxies=10.1.2.3/8",
                                "listeners.b.bind=2",
                                "listeners.c.trusted-proxies=::1",
                                "listeners.c.bind=3",
                                "listeners.d.trusted-proxies=lb.example.org",
                                "listeners.d.type=ws",
                                "listeners.d.bind=4"))
                .containsExactlyInAnyOrder(
                        "configuration: listeners.mqtt.trusted-proxies: must name the proxies, since"
                                + " proxy-protocol is true",
                        "--set: listeners.a.trusted-proxies = (empty): must name the proxies, since"
                                + " proxy-protocol is true",
                        "--set: listeners.b.trusted-proxies = 10.1.2.3/8: allowed: a list of"
                                + " addresses, and networks such as 10.0.0.0/8 with no bits set beyond"
                                + " the prefix",
                        "--set: listeners.c.trusted-proxies = ::1: allowed with proxy-protocol: true,"
                                + " or for the types ws and wss",
                        "--set: listeners.d.trusted-proxies = lb.example.org: allowed: a list of"
                                + " addresses, and networks such as 10.0.0.0/8 with no bits set beyond"
                                + " the prefix");
    }

    @Test
    void keys_that_contradict_each_other_are_refused() {
        assertThat(
                        mistakes(
                                "overload.write-low-water: 2MiB",
                                "limits.queue-bytes=1MiB",
                                "listeners.mqtt.paths=/x",
                                "listeners.mqtt.tls.key=k",
                                "listeners.ws.bind=127.0.0.1:1883",
                                "listeners.t.type=tls",
                                "listeners.t.bind=8081",
                                "listeners.t.tls.client-auth=required"))
                .containsExactlyInAnyOrder(
                        "line 1: overload.write-low-water = 2MiB: must be below"
                                + " overload.write-high-water (1048576 bytes)",
                        "--set: limits.queue-bytes = 1MiB: must not be below"
                                + " mqtt.maximum-packet-size (16777216 bytes)",
                        "--set: listeners.mqtt.paths = /x: allowed for the types ws and wss only",
                        "--set: listeners.mqtt.tls.key = k: allowed for the types tls and wss only",
                        "--set: listeners.ws.bind = 127.0.0.1:1883: the listener mqtt already"
                                + " listens there",
                        "--set: listeners.t.bind = 8081: admin.bind already uses it",
                        "configuration: listeners.t.tls.certificate: must be set for the types tls"
                                + " and wss: a PEM file",
                        "configuration: listeners.t.tls.key: must be set for the types tls and wss:"
                                + " a PEM file",
                        "--set: listeners.t.tls.client-auth = required: needs tls.client-ca to be"
                                + " set");
        assertThat(mistakes("", "listeners.mqtt.enabled=false", "listeners.ws.enabled=false"))
                .containsExactly("configuration: listeners: at least one must be enabled");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'mqtt:\n  maximum-qos: 1\nmqtt:\n  maximum-qos: 2\n' | line 4: mqtt.maximum-qos = 2:"
                        + " stands there already: line 2",
                "'mqtt:\n  maximum-qos:\n' | line 2: mqtt.maximum-qos: has no value",
                "'mqtt:\n  surprise:\n' | line 2: mqtt.surprise = (empty): unknown key; 'godwit config'"
                        + " names all",
                "'listeners:\n  x:\n' | line 2: listeners.x: needs at least its type",
                "'listeners:\n  X y:\n    bind: 1\n' | line 3: listeners.X y.bind = 1: a listener's"
                        + " name is up to 32 of a-z 0-9 _ -, not X y",
                "'- a\n- b\n' | line 1: must consist of lines like  key: value",
                "'log: {level: &a info, format: *a}\n' | line 1: log.format = *a: aliases are not"
                        + " supported",
                "'log:\n  level: info\n---\nlog:\n' | line 4: a second document is not allowed",
                "'log:\n  level: [info, {a: b}]\n' | line 2: log.level: a list may hold plain values"
                        + " only",
            })
    void a_file_that_is_odd_is_refused_with_the_line(String yaml, String mistake) {
        assertThat(mistakes(yaml)).contains(mistake);
    }

    @Test
    void a_file_that_is_not_yaml_is_refused_with_the_line() {
        assertThat(mistakes("log:\n  level: info\n bad: [\n"))
                .singleElement()
                .asString()
                .startsWith("line 3: is not YAML: ");
    }

    @Test
    void sections_may_be_empty_and_keys_may_be_dotted() throws Exception {
        assertThat(load("limits:\nmqtt: {}\nmqtt.maximum-qos: 1\n").mqtt().maximumQos())
                .isEqualTo(1);
    }

    @Test
    void a_missing_file_is_named() {
        ConfigException failure =
                catchThrowableOfType(
                        ConfigException.class,
                        () -> ConfigLoader.load(file, Map.of(), List.of(), FOLDERS, BUDGET));
        assertThat(failure).hasMessage(file + ": there is no such file");
    }

    @Test
    void variables_of_the_launcher_and_of_kubernetes_are_not_keys() throws Exception {
        Map<String, String> environment =
                Map.of(
                        "GODWIT_JAVA_OPTS", "-Xmx1g",
                        "GODWIT_SERVICE_HOST", "10.0.0.1",
                        "GODWIT_PORT", "tcp://10.0.0.1:1883",
                        "GODWIT_PORT_1883_TCP_ADDR", "10.0.0.1",
                        "GODWIT_ADMIN_SERVICE_PORT_HTTP", "8081",
                        "HOME", "/home/someone");
        assertThat(load("", environment).mqtt()).isEqualTo(MqttSettings.DEFAULTS);
    }

    @Test
    void pages_and_names_that_may_come_in_are_lists() throws Exception {
        Config config =
                load(
                        "listeners: {ws: {type: ws, origins: [https://a.example, 'http://b:3000']}}\n"
                                + "admin: {hosts: [godwit, metrics.example]}");
        assertThat(config.listeners().getFirst().origins())
                .containsExactly("https://a.example", "http://b:3000");
        assertThat(config.admin().hosts()).containsExactly("godwit", "metrics.example");
        assertThat(load("").admin().hosts()).isEmpty();
        assertThat(mistakes("", "listeners.ws.origins=a.example"))
                .containsExactly(
                        "--set: listeners.ws.origins = a.example: allowed: a list of *, or"
                                + " scheme://host, scheme://host:port");
        assertThat(mistakes("", "listeners.mqtt.origins=*"))
                .containsExactly(
                        "--set: listeners.mqtt.origins = *: allowed for the types ws and wss only");
        assertThat(mistakes("", "admin.hosts=godwit:8081")).hasSize(1);
    }

    @Test
    void a_token_stands_in_no_message() throws Exception {
        Config config = load("", "admin.token=0123456789abcdef");
        assertThat(config.admin().token()).isEqualTo(new Secret("0123456789abcdef"));
        assertThat(config.toString()).doesNotContain("0123456789abcdef");
        assertThat(mistakes("admin:\n  token: hunter2\nadmin.token: hunter3\n"))
                .hasSize(2)
                .allMatch(line -> line.contains("admin.token"))
                .noneMatch(line -> line.contains("hunter"));
        assertThat(load("").admin().token()).isNull();
    }

    @Test
    void backups_are_in_the_data_folder_unless_another_is_named_but_not_in_the_store()
            throws Exception {
        assertThat(load("").store().backupFolder()).isEqualTo(Path.of("/opt/godwit/data/backups"));
        assertThat(load("", "store.backup-folder=/backups").store().backupFolder())
                .isEqualTo(Path.of("/backups"));
        assertThat(mistakes("", "store.backup-folder=/opt/godwit/data/store/backups"))
                .singleElement()
                .asString()
                .contains("must not be in the store");
    }

    @Test
    void relative_paths_begin_at_the_folder_of_the_file_or_above_it_when_that_is_called_conf()
            throws Exception {
        String text =
                """
                node:
                  data: here
                store:
                  backup-folder: backups
                listeners:
                  s:
                    type: tls
                    tls:
                      certificate: tls/s.pem
                      key: tls/s-key.pem
                cluster:
                  discovery: file
                  seeds: [members]
                  tls:
                    ca: pki/ca.pem
                """;
        Path conf = Files.createDirectory(folder.resolve("conf"));
        for (Path at : List.of(folder.resolve("mine.yaml"), conf.resolve("godwit.yaml"))) {
            Files.writeString(at, text);
            List<String> sets =
                    List.of("cluster.tls.certificate=pki/n.pem", "cluster.tls.key=pki/n-key.pem");
            Config config = ConfigLoader.load(at, Map.of(), sets);
            assertThat(config.node().data()).isEqualTo(folder.resolve("here"));
            assertThat(config.store().backupFolder()).isEqualTo(folder.resolve("backups"));
            TlsConfig tls = requireNonNull(config.listeners().get(0).tls());
            assertThat(tls.certificate()).isEqualTo(folder.resolve("tls/s.pem"));
            assertThat(config.cluster().seeds())
                    .containsExactly(folder.resolve("members").toString());
            ClusterConfig.Tls nodes = requireNonNull(config.cluster().tls());
            assertThat(nodes.ca()).isEqualTo(folder.resolve("pki/ca.pem"));
            assertThat(nodes.key()).isEqualTo(folder.resolve("pki/n-key.pem"));
        }
    }

    @Test
    void relative_paths_begin_at_the_current_folder_without_a_file() throws Exception {
        Config config = ConfigLoader.load(null, Map.of(), List.of("node.data=here"));
        assertThat(config.node().data()).isEqualTo(Path.of("here").toAbsolutePath());
    }

    @Test
    void the_default_of_the_data_folder_is_beside_the_program_wherever_the_file_is()
            throws Exception {
        ConfigFolders folders = new ConfigFolders(Path.of("/etc/godwit"), HOME);
        Config config = ConfigLoader.load(null, Map.of(), List.of(), folders, BUDGET);
        assertThat(config.node().data()).isEqualTo(HOME.resolve("data"));
        assertThat(
                        ConfigLoader.load(null, Map.of(), List.of("node.data=x"), folders, BUDGET)
                                .node()
                                .data())
                .isEqualTo(Path.of("/etc/godwit/x"));
    }

    @Test
    void a_key_is_suggested_only_when_it_is_near() throws Exception {
        assertThat(mistakes("", "mqtt.maximum-qoss=1"))
                .singleElement()
                .asString()
                .endsWith("unknown key, did you mean mqtt.maximum-qos");
        for (String far : List.of("banana=1", "x=1", "auth.users=a", "mqtt.compression=true")) {
            assertThat(mistakes("", far))
                    .singleElement()
                    .asString()
                    .contains("unknown key")
                    .doesNotContain("did you mean");
        }
        assertThat(mistakes("", Map.of("GODWIT_HAPPY", "1")))
                .singleElement()
                .asString()
                .contains("unknown variable")
                .doesNotContain("did you mean");
    }

    @ParameterizedTest
    @ValueSource(strings = {"log:\n\tlevel: info\n", "mqtt:\n  maximum-qos: 1\n\tx: 2\n"})
    void a_tab_in_front_of_a_line_is_named_with_the_line(String yaml) {
        long line = yaml.substring(0, yaml.indexOf('\t')).lines().count() + 1;
        assertThat(mistakes(yaml))
                .containsExactly(
                        "line " + line + ": begins with a tab; YAML is indented with blanks only");
    }

    @Test
    void a_file_that_is_no_text_is_refused_without_the_name_of_a_class() throws Exception {
        Files.write(file, new byte[] {(byte) 0xC3, 0x28});
        ConfigException failure =
                catchThrowableOfType(
                        ConfigException.class,
                        () -> ConfigLoader.load(file, Map.of(), List.of(), FOLDERS, BUDGET));
        assertThat(failure).hasMessage(file + ": is not a text in UTF-8");
    }
}
