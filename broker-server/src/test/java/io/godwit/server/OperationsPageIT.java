package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.extension.TestExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Checks the metrics and keys that pages for operators name. */
class OperationsPageIT {
    private static final Path PAGE = Path.of("../docs/operations.md");
    private static final List<Path> PAGES_WITH_METRICS =
            List.of(
                    PAGE,
                    Path.of("../docs/overload.md"),
                    Path.of("../docs/durability.md"),
                    Path.of("../docs/extensions.md"));

    private static final Path KEYS = Path.of("../conf/godwit.yaml");

    private static Set<String> named(Path page, String regex) throws IOException {
        Set<String> found = new TreeSet<>();
        Matcher matcher = Pattern.compile(regex).matcher(Files.readString(page));
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        assertThat(found).isNotEmpty();
        return found;
    }

    @Test
    void every_metric_that_a_page_names_is_on_the_metrics_page(@TempDir Path folder)
            throws Exception {
        Path users = Files.writeString(folder.resolve("users"), "");
        Path rules = Files.writeString(folder.resolve("rules.yaml"), "rules: []\n");
        Path extensions = folder.resolve("extensions");
        TestExtension.logging("some").writeTo(extensions);
        try (BrokerFixture broker =
                BrokerFixture.start(
                        "security.users=" + users,
                        "security.rules=" + rules,
                        "extensions.folder=" + extensions)) {
            String metrics =
                    RawHttp.send(
                            broker.adminPort(),
                            "GET /metrics HTTP/1.1",
                            "Host: localhost",
                            "Connection: close");
            for (Path page : PAGES_WITH_METRICS) {
                // Metrics of the cluster exist only with cluster.enabled.
                named(page, "\\b((?:godwit_(?!cluster_)|jvm_|process_)[a-z0-9_]+[a-z0-9])\\b")
                        .forEach(name ->
                                assertThat(metrics.lines())
                                        .as(page + ": " + name)
                                        .anyMatch(line ->
                                                line.startsWith(name + " ")
                                                        || line.startsWith(name + "{")));
            }
        }
    }

    @Test
    void every_key_of_the_page_stands_in_the_configuration() throws Exception {
        String file = Files.readString(KEYS);
        String sections =
                "node|server|admin|log|stop|cluster|mqtt|limits|overload|durability|store|queues"
                        + "|security|tls";
        for (String key : named(PAGE, "`((?:" + sections + ")\\.[a-z0-9-]+)`")) {
            String section = key.substring(0, key.indexOf('.'));
            String own = key.substring(section.length() + 1);
            assertThat(file)
                    .as(key)
                    .containsPattern("(?ms)^" + section + ":\n(?:  [^\n]*\n)*  " + own + ":");
        }
    }
}
