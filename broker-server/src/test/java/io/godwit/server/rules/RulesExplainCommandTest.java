package io.godwit.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class RulesExplainCommandTest {
    @TempDir private Path folder;
    private final StringWriter errors = new StringWriter();

    @BeforeEach
    void writeRules() throws IOException {
        Files.writeString(folder.resolve("rules.yaml"), RulesFileTest.EXAMPLE);
    }

    private String explain(int exitCode, String... arguments) {
        List<String> all = new ArrayList<>(List.of("explain"));
        all.addAll(List.of(arguments));
        all.addAll(List.of("--rules", folder.resolve("rules.yaml").toString()));
        return run(exitCode, all.toArray(String[]::new));
    }

    private String run(int exitCode, String... arguments) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        ByteArrayOutputStream said = new ByteArrayOutputStream();
        PrintStream out = System.out;
        PrintStream err = System.err;
        System.setOut(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(said, true, StandardCharsets.UTF_8));
        try {
            int code =
                    new CommandLine(new RulesCommand())
                            .setErr(new PrintWriter(errors, true))
                            .execute(arguments);
            assertThat(code).as("%s %s", List.of(arguments), errors).isEqualTo(exitCode);
        } finally {
            System.setOut(out);
            System.setErr(err);
            errors.append(said.toString(StandardCharsets.UTF_8));
        }
        return bytes.toString(StandardCharsets.UTF_8).replace(folder.toString() + "/", "");
    }

    @Test
    void rule_that_decides_is_named_with_its_line_and_why_none_before_it_did() {
        assertThat(
                        explain(
                                0,
                                "--user",
                                "dev-1",
                                "--client",
                                "dev-1",
                                "--publish",
                                "devices/dev-1/t",
                                "--qos",
                                "1"))
                .isEqualTo(
                        """
                        publish to devices/dev-1/t with QoS 1: allowed by rules.yaml line 5
                          {allow: publish, group: fleet, topic: "devices/%c/#", qos: [0, 1], retain: false}
                          not line 4: is about something else
                            {allow: connect, group: fleet, client: "%u"}
                        """);
        assertThat(explain(1, "--user", "admin", "--address", "10.0.0.1", "--subscribe", "$SYS/a"))
                .startsWith("subscribe to $SYS/a with QoS 0: denied by rules.yaml line 7\n")
                .contains("not line 6: the user is in none of its groups");
    }

    @Test
    void denial_without_a_rule_says_why_each_rule_did_not_match() {
        assertThat(
                        explain(
                                1,
                                "--user",
                                "dev-1",
                                "--client",
                                "dev-1",
                                "--publish",
                                "devices/dev-1/t",
                                "--retain"))
                .startsWith(
                        "publish to devices/dev-1/t with QoS 0, retained: denied, since no rule of"
                                + " rules.yaml matches\n")
                .contains("not line 5: the message is retained")
                .contains("not line 8: user is dev-1");
        assertThat(explain(1, "--user", "admin", "--connect"))
                .contains("not line 8: address is not given");
        assertThat(explain(1, "--user", "dev-1", "--client", "x", "--connect"))
                .contains("not line 4: client is x");
    }

    @Test
    void names_of_listeners_are_checked_where_there_is_a_configuration() throws IOException {
        Path rules = folder.resolve("rules.yaml");
        Files.writeString(rules, "rules:\n- {allow: all, listener: mqttt}\n");
        assertThat(explain(0, "--connect", "--listener", "mqttt"))
                .contains("names of listeners are not checked");
        assertThat(run(1, "explain", "--connect", "--set", "security.rules=" + rules)).isEmpty();
        assertThat(errors.toString())
                .contains("line 2: listener = mqttt: no listener that is enabled has this name");
    }

    @Test
    void wrong_arguments_are_told() {
        explain(2, "--connect", "--publish", "a");
        explain(2);
        explain(2, "--publish", "a/#");
        explain(2, "--subscribe", "a#");
        explain(2, "--publish", "a", "--qos", "3");
        explain(2, "--subscribe", "a", "--retain");
        explain(2, "--connect", "--address", "10.0.0");
        assertThat(errors.toString())
                .contains("a/# is not a topic")
                .contains("a# is not a topic filter")
                .contains("--qos: 0, 1 and 2 are allowed")
                .contains("--retain is for --publish")
                .contains("10.0.0 is not an address");
    }
}
