package io.godwit.clients;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Assumptions;

/** Runs one of the exchange scripts and asks for a PASS of every case, by name. */
final class ScriptExchange {
    static final String HOW_TO_GET = "run broker-server/src/test/install-client-tools";

    private static final List<String> CASES =
            List.of(
                    "wildcards",
                    "every_qos",
                    "retained",
                    "will",
                    "shared",
                    "large_payload",
                    "session");

    private ScriptExchange() {}

    /**
     * @param interpreter with the script as its first argument
     */
    static void run(List<String> interpreter, String protocol, Transport transport) {
        BrokerUnderTest broker = BrokerUnderTest.shared();
        if (!broker.has(transport)) {
            Assumptions.abort("NOT RUN: this broker has no listener of type " + transport);
        }
        List<String> command = new ArrayList<>(interpreter);
        command.addAll(
                List.of(
                        "--host",
                        broker.host(),
                        "--port",
                        "" + broker.port(transport),
                        "--protocol",
                        protocol,
                        "--transport",
                        transport.name().toLowerCase(Locale.ROOT)));
        if (transport.isSecure()) {
            command.addAll(List.of("--ca", broker.authority().toString()));
        }
        try (ProgramRun run = ProgramRun.start(command)) {
            List<String> lines = run.awaitEnd(Duration.ofSeconds(100));
            assertThat(lines)
                    .as("%s", run)
                    .containsExactlyElementsOf(CASES.stream().map(c -> "PASS " + c).toList());
            assertThat(run.exitCode()).isZero();
        }
    }

    /**
     * @param path below {@code src/test}
     */
    static Path beside(String path) {
        return Path.of(System.getProperty("basedir", "."), "src/test", path).toAbsolutePath();
    }
}
