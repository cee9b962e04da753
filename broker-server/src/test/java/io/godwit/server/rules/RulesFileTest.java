package io.godwit.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.server.reload.FileMemory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesFileTest {
    static final String EXAMPLE =
            """
            groups:
              fleet: ["dev-*"]
            rules:
              - {allow: connect,   group: fleet, client: "%u"}
              - {allow: publish,   group: fleet, topic: "devices/%c/#", qos: [0, 1], retain: false}
              - {allow: subscribe, group: fleet, topic: "commands/%c/+", share: none}
              - {deny:  subscribe, topic: "$SYS/#"}
              - {allow: all, user: admin, address: [10.0.0.0/8]}
            """;

    @TempDir private Path folder;

    private LoadedRules load(String text) throws RulesMistake {
        Path file = folder.resolve("rules.yaml");
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return new RulesFile(file, null, FileMemory.unbounded()).load();
    }

    private static Subject subject(String clientId, String user, String address) {
        return new Subject(
                ClientId.of(clientId), Identity.ofUser(user), new Peer(address, false, "mqtt"));
    }

    @Test
    void example_says_what_it_seems_to_say() throws RulesMistake {
        LoadedRules loaded = load(EXAMPLE);
        Subject device = subject("dev-1", "dev-1", "192.168.0.1:1");
        Subject admin = subject("x", "admin", "10.0.0.1:1");
        Access access = loaded.list().of(device);

        assertThat(loaded.summary()).endsWith("rules.yaml: 5 rules, 1 group");
        assertThat(loaded.line(0)).isEqualTo(4);
        assertThat(loaded.line(4)).isEqualTo(8);
        assertThat(loaded.list().mayConnect(device)).isTrue();
        assertThat(loaded.list().mayConnect(subject("dev-2", "dev-1", "192.168.0.1:1"))).isFalse();
        assertThat(loaded.list().mayConnect(admin)).isTrue();
        assertThat(loaded.list().mayConnect(subject("x", "admin", "11.0.0.1:1"))).isFalse();
        assertThat(access.mayPublish(Topic.of("devices/dev-1/t"), 1, false)).isTrue();
        assertThat(access.mayPublish(Topic.of("devices/dev-1/t"), 1, true)).isFalse();
        assertThat(access.mayPublish(Topic.of("devices/dev-2/t"), 1, false)).isFalse();
        assertThat(access.maySubscribe(TopicFilter.of("commands/dev-1/+"), 1)).isTrue();
        assertThat(access.maySubscribe(TopicFilter.of("$share/g/commands/dev-1/+"), 1)).isFalse();
        assertThat(loaded.list().of(admin).maySubscribe(TopicFilter.of("$SYS/#"), 1)).isFalse();
        assertThat(loaded.list().of(admin).maySubscribe(TopicFilter.of("#"), 1)).isTrue();
    }

    @Test
    void file_in_block_style_has_the_line_of_each_rule() throws RulesMistake {
        LoadedRules loaded =
                load(
                        """
                        # first
                        rules:

                        - allow: [publish, subscribe]
                          topic:
                            - a/b
                            - "c/#"
                          certificate: true

                        - deny: connect
                          user: 007
                        """);
        assertThat(loaded.line(0)).isEqualTo(4);
        assertThat(loaded.line(1)).isEqualTo(10);
        assertThat(loaded.list().rule(0))
                .hasToString(
                        "{allow: [publish, subscribe], certificate: true, topic: [a/b, \"c/#\"]}");
        assertThat(loaded.list().rule(1)).hasToString("{deny: connect, user: \"007\"}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{alow: all} | line 2: alow: allow or deny, user, group",
                "{allow: all, topics: a} | line 2: topics: allow or deny, user",
                "{user: a} | line 2: the rule has neither allow nor deny",
                "{allow: all, deny: all} | line 2: deny: a rule either allows or denies",
                "{allow: write} | line 2: allow = write: connect, publish, subscribe and all are allowed",
                "{allow: [all, publish]} | line 2: allow = all: all stands alone",
                "{allow: all, user: a, user: b} | line 2: user: stands there already",
                "{allow: all, user: } | line 2: user: has no value",
                "{allow: all, user: []} | line 2: user: has no value; leave the key out",
                "{allow: all, user: {a: b}} | line 2: user: one value, or a list of values",
                "{allow: all, user: *} | line 2: is not YAML",
                "{allow: all, topic: 'a#'} | line 2: topic = a#: + and # are allowed only as whole levels",
                "{allow: all, topic: '%x/a'} | line 2: topic = %x/a: behind a percent sign",
                "{allow: all, topic: ''} | line 2: topic = (empty): only a text of one character",
                "{allow: all, address: 10.0.0.0/33} | line 2: address = 10.0.0.0/33: an address, or a network",
                "{allow: all, group: nobody} | line 2: group = nobody: there is no such group",
                "{allow: publish, qos: 3} | line 2: qos = 3: 0, 1 and 2 are allowed",
                "{allow: publish, retain: maybe} | line 2: retain = maybe: true and false are allowed",
                "{allow: publish, share: none} | line 2: share is not for publish",
                "{allow: connect, topic: a} | line 2: topic is not for connect",
                "{allow: all, certificate: [true, false]} | line 2: certificate: one value is allowed",
                "text | line 2: rules: a rule is",
            })
    void mistake_is_told_with_line_key_and_what_is_allowed(String rule, String message) {
        assertThatThrownBy(() -> load("rules:\n- " + rule + "\n"))
                .isInstanceOf(RulesMistake.class)
                .hasMessageContaining("rules.yaml ")
                .hasMessageContaining(message);
    }

    @Test
    void broken_file_is_refused_at_each_look_and_counts_once_it_is_mended() throws Exception {
        Path path = folder.resolve("watched.yaml");
        Files.writeString(path, "rules: []\n");
        RulesFile watched = new RulesFile(path, null, FileMemory.unbounded());
        LoadedRules first = watched.load();
        assertThat(watched.load(first)).isSameAs(first);
        Files.writeString(path, "rules: nonsense\n");
        for (int look = 0; look < 2; look++) {
            assertThatThrownBy(() -> watched.load(first)).hasMessageContaining("line 1");
        }
        Files.writeString(path, "rules: also\n");
        assertThatThrownBy(() -> watched.load(first)).isInstanceOf(RulesMistake.class);
        Files.writeString(path, EXAMPLE);
        assertThat(watched.load(first).list()).isNotSameAs(first.list());
        Files.writeString(path, "rules: []\n");
        assertThat(watched.load(first)).isSameAs(first);
    }

    @Test
    void mistakes_outside_of_rules_are_told() {
        assertMistake("", "line 1: the file has the keys groups and rules");
        assertMistake("rule: []\n", "line 1: rule: groups and rules are allowed");
        assertMistake("groups: {}\n", "rules: is missing");
        assertMistake("rules:\n", "line 1: rules: a list of rules");
        assertMistake("rules: []\nrules: []\n", "line 2: rules: stands there already");
        assertMistake("groups:\n  a:\nrules: []\n", "line 2: groups.a: has no value");
        assertMistake(
                "groups:\n  a: [x]\n  a: [y]\nrules: []\n", "line 3: a: stands there already");
        assertMistake("rules: []\n---\nrules: []\n", "a second document is not allowed");
        assertMistake("rules:\n\t- {allow: all}\n", "line 2: begins with a tab");
        assertMistake("rules:\n- {allow: all\n", "is not YAML");
    }

    private void assertMistake(String text, String message) {
        assertThatThrownBy(() -> load(text))
                .isInstanceOf(RulesMistake.class)
                .hasMessageContaining(message);
    }

    @Test
    void rules_that_do_not_fit_into_memory_keep_those_of_before() throws Exception {
        Path path = folder.resolve("large.yaml");
        Files.writeString(path, "rules: []\n");
        FileMemory memory = new FileMemory(1 << 20);
        RulesFile watched = new RulesFile(path, null, memory);
        LoadedRules first = watched.load();
        long before = memory.bytes();
        Files.writeString(path, "rules: []\n#" + "x".repeat(1 << 20));
        assertThatThrownBy(() -> watched.load(first))
                .hasMessageContaining(
                        "large.yaml: takes about 13 MiB of memory, and 1 MiB are left");
        assertThat(memory.bytes()).isEqualTo(before).isPositive();
        Files.writeString(path, "rules: [{allow: all}]\n");
        memory.set("users", 1 << 20);
        assertThatThrownBy(() -> watched.load(first)).hasMessageContaining("0 MiB are left");
        memory.set("users", 0);
        assertThat(watched.load(first).list().size()).isOne();
    }

    @Test
    void listener_that_does_not_exist_is_a_mistake() throws Exception {
        Path path = folder.resolve("listeners.yaml");
        Files.writeString(
                path,
                """
                rules:
                - {allow: all, listener: [mqtts, "w*", "x*"]}
                - {deny: all, listener: [mqtt, mqttt]}
                """);
        assertThatThrownBy(() ->
                        new RulesFile(path, Set.of("mqtts", "mqtt", "ws"), FileMemory.unbounded())
                                .load())
                .hasMessageEndingWith(
                        "listeners.yaml line 3: listener = mqttt: no listener that is enabled has"
                                + " this name; there are mqtt, mqtts, ws");
        assertThat(
                        new RulesFile(
                                        path,
                                        Set.of("mqtts", "mqtt", "mqttt"),
                                        FileMemory.unbounded())
                                .load()
                                .list()
                                .size())
                .isEqualTo(2);
        assertThat(new RulesFile(path, null, FileMemory.unbounded()).load().list().size())
                .isEqualTo(2);
    }

    @Test
    void file_that_cannot_be_read_is_told() throws IOException {
        assertThatThrownBy(() -> new RulesFile(folder, null, FileMemory.unbounded()).load())
                .hasMessageContaining("is a folder");
        assertThatThrownBy(() ->
                        new RulesFile(folder.resolve("none"), null, FileMemory.unbounded()).load())
                .hasMessageContaining("there is no such file");
        Path closed =
                Files.createSymbolicLink(
                        folder.resolve("closed"), Path.of("/sys/bus/platform/uevent"));
        assertThatThrownBy(() -> new RulesFile(closed, null, FileMemory.unbounded()).load())
                .as("what the kernel lets nobody read, as root may read all others")
                .hasMessageEndingWith("can't be read: permission denied");
        Path latin = folder.resolve("latin");
        Files.write(latin, "rules: [] # \u00e9".getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> new RulesFile(latin, null, FileMemory.unbounded()).load())
                .hasMessageContaining("is not a text in UTF-8");
        Path large = folder.resolve("large");
        Files.write(large, new byte[RulesFile.BYTES_MAX + 1]);
        assertThatThrownBy(() -> new RulesFile(large, null, FileMemory.unbounded()).load())
                .hasMessageContaining("at most 32 MiB are allowed");
    }

    @Test
    void hundred_thousand_rules_are_loaded_and_a_mistake_in_the_middle_is_found()
            throws RulesMistake {
        StringBuilder text = new StringBuilder("rules:\n");
        for (int i = 0; i < 100_000; i++) {
            text.append("- {allow: [publish, subscribe], user: user-")
                    .append(i)
                    .append(", topic: \"devices/device-")
                    .append(i)
                    .append("/#\"}\n");
        }
        long begin = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        LoadedRules loaded = load(text.toString());
        long took = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begin;

        Access access = loaded.list().of(subject("c", "user-77777", "10.0.0.1:1"));
        assertThat(access.mayPublish(Topic.of("devices/device-77777/x"), 0, false)).isTrue();
        assertThat(access.mayPublish(Topic.of("devices/device-77778/x"), 0, false)).isFalse();
        // About 1.5 s in a JVM that has just started.
        assertThat(took).as("ns of CPU").isLessThan(Duration.ofSeconds(10).toNanos());

        String broken = text.toString().replace("topic: \"devices/device-50000/", "topic: \"a/#/");
        assertThatThrownBy(() -> load(broken)).hasMessageContaining("line 50002: topic = a/#/#");
        text.append("- {allow: all}\n");
        assertThatThrownBy(() -> load(text.toString()))
                .hasMessageContaining("line 100002")
                .hasMessageContaining("more than 100000 rules");
    }
}
