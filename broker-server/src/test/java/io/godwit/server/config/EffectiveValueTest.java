package io.godwit.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EffectiveValueTest {
    @TempDir Path folder;

    @Test
    void each_value_names_where_it_comes_from_and_a_secret_is_not_shown() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("g.yaml"),
                        """
                        mqtt:
                          maximum-qos: 1
                          receive-maximum: 10
                        node.data: here
                        admin:
                          token: 0123456789abcdef
                        """);
        List<String> lines =
                EffectiveValue.all(
                                file,
                                Map.of("GODWIT_MQTT_RECEIVE_MAXIMUM", "20"),
                                List.of("limits.connections=7"))
                        .stream()
                        .map(each -> each.toString().replaceAll(" +", " "))
                        .toList();
        assertThat(lines)
                .contains(
                        "mqtt.maximum-qos: 1 # " + file + " line 2",
                        "mqtt.receive-maximum: 20 # GODWIT_MQTT_RECEIVE_MAXIMUM",
                        "limits.connections: 7 # --set",
                        "node.data: " + folder.resolve("here") + " # " + file + " line 4",
                        "admin.token: (secret) # " + file + " line 6",
                        "listeners.mqtt.type: tcp # default",
                        "listeners.ws.bind: 8083 # default",
                        "log.level: info # default");
        assertThat(String.join("", lines)).doesNotContain("0123456789abcdef");
        for (Key<?> key : Keys.ALL) {
            assertThat(lines).filteredOn(line -> line.startsWith(key.name() + ": ")).hasSize(1);
        }
    }

    @Test
    void what_is_printed_is_a_configuration_with_the_same_values() throws Exception {
        Path file = Files.writeString(folder.resolve("g.yaml"), "node: {name: n1, data: here}\n");
        List<String> lines =
                EffectiveValue.all(file, Map.of(), List.of()).stream()
                        .map(EffectiveValue::toString)
                        .toList();
        Path printed = Files.write(folder.resolve("printed.yaml"), lines);
        assertThat(ConfigLoader.load(printed, Map.of(), List.of()))
                .isEqualTo(ConfigLoader.load(file, Map.of(), List.of()));
    }

    @Test
    void files_of_tls_are_shown_with_their_folder() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("g.yaml"),
                        """
                        listeners.t:
                          type: tls
                          tls:
                            certificate: a.pem
                            key: a.key
                            client-ca: ca.pem
                            client-crl: [ca.crl, /etc/b.crl]
                            names: {b.example.org: {certificate: b.pem, key: b.key}}
                        """);
        List<String> lines =
                EffectiveValue.all(file, Map.of(), List.of()).stream()
                        .map(each -> each.toString().replaceAll(" +#.*", ""))
                        .toList();
        assertThat(lines)
                .contains(
                        "listeners.t.tls.key: " + folder.resolve("a.key"),
                        "listeners.t.tls.client-crl: ["
                                + folder.resolve("ca.crl")
                                + ", /etc/b.crl]",
                        "listeners.t.tls.names.b.example.org.certificate: "
                                + folder.resolve("b.pem"),
                        "listeners.t.tls.names.b.example.org.key: " + folder.resolve("b.key"))
                .noneMatch(line -> line.contains("<name>"));
    }

    @Test
    void what_is_printed_of_a_listener_with_tls_is_a_configuration_with_the_same_values()
            throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("g.yaml"),
                        """
                        node.data: here
                        listeners.t: {type: wss, tls: {certificate: a.pem, key: a.key}}
                        """);
        List<String> lines =
                EffectiveValue.all(file, Map.of(), List.of()).stream()
                        .map(EffectiveValue::toString)
                        .toList();
        Path printed = Files.write(folder.resolve("printed.yaml"), lines);
        assertThat(ConfigLoader.load(printed, Map.of(), List.of()))
                .isEqualTo(ConfigLoader.load(file, Map.of(), List.of()));
    }
}
