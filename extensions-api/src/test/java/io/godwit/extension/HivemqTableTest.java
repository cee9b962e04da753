package io.godwit.extension;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.extension.sdk.api.ExtensionMain;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Compares {@code docs/extensions/hivemq.tsv} with HiveMQ's extension SDK and with our API. */
class HivemqTableTest {
    private static final Path TABLE = Path.of("../docs/extensions/hivemq.tsv");
    private static final String THEIRS = "com/hivemq/extension/sdk/api/";
    private static final String OURS = "io.godwit.extension.";
    private static final int WITHOUT_COUNTERPART_MAX = 25;

    private record Row(String type, String counterpart, String note) {
        static Row of(String line) {
            List<String> cells = Arrays.asList(line.split("\t", -1));
            assertThat(cells).as(line).hasSizeBetween(2, 3);
            return new Row(cells.get(0), cells.get(1), cells.size() == 3 ? cells.get(2) : "");
        }

        boolean isOurs() {
            return !counterpart.equals("later") && !counterpart.equals("none");
        }
    }

    private static List<Row> rows() throws IOException {
        return Files.readAllLines(TABLE).stream()
                .filter(line -> !line.startsWith("#"))
                .map(Row::of)
                .toList();
    }

    @Test
    void every_public_type_of_the_sdk_has_one_row() throws IOException, URISyntaxException {
        assertThat(rows().stream().map(Row::type)).containsExactlyElementsOf(typesOfSdk());
    }

    @Test
    void counterparts_are_in_the_api() throws IOException {
        Set<String> names =
                ApiText.ofPublicTypesBeside(Extension.class).lines().stream()
                        .flatMap(HivemqTableTest::namesIn)
                        .collect(Collectors.toSet());
        assertThat(names).contains("access.AccessRule.Builder", "client.Client#attributes");
        assertThat(rows().stream().filter(Row::isOurs).map(Row::counterpart))
                .allMatch(names::contains);
    }

    @Test
    void few_types_have_no_counterpart_and_each_has_a_reason() throws IOException {
        assertThat(rows().stream().filter(row -> row.counterpart.equals("none")))
                .hasSizeLessThanOrEqualTo(WITHOUT_COUNTERPART_MAX)
                .allMatch(row -> !row.note.isEmpty());
    }

    /** All types of the SDK's jar are public. */
    private static List<String> typesOfSdk() throws IOException, URISyntaxException {
        Path jar =
                Path.of(
                        ExtensionMain.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        try (JarFile file = new JarFile(jar.toFile())) {
            return file.stream()
                    .map(entry -> entry.getName())
                    .filter(name -> name.startsWith(THEIRS) && name.endsWith(".class"))
                    .filter(Predicate.not(name -> name.endsWith("package-info.class")))
                    .map(name -> name.substring(THEIRS.length(), name.length() - 6))
                    .map(name -> name.replace('/', '.').replace('$', '.'))
                    .sorted()
                    .toList();
        }
    }

    /** Returns the type of a line of the API without its package's beginning, and its member. */
    private static Stream<String> namesIn(String line) {
        int end = line.indexOf(": ");
        String type = line.substring(OURS.length(), end);
        String signature = line.substring(end + 2).replaceFirst("\\(.*", "");
        return Stream.of(type, type + "#" + signature.substring(signature.lastIndexOf(' ') + 1));
    }
}
