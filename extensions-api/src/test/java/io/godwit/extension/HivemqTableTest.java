package io.godwit.extension;

import static org.assertj.core.api.Assertions.assertThat;

import com.hivemq.extension.sdk.api.ExtensionMain;
import java.io.IOException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares the tables of {@code docs/extensions} with HiveMQ's extension SDK and with our API. */
class HivemqTableTest {
    private static final String TYPES = "hivemq.tsv";
    private static final String METHODS = "hivemq-methods.tsv";
    private static final String THEIRS = "com/hivemq/extension/sdk/api/";
    private static final String OURS = "io.godwit.extension.";
    private static final String NONE = "-";
    private static final String LATER = "later";
    private static final int WITHOUT_COUNTERPART_MAX = 25;

    private record Row(String name, String counterpart, String note) {
        static Row of(String line) {
            List<String> cells = Arrays.asList(line.split("\t", -1));
            assertThat(cells).as(line).hasSizeBetween(2, 3);
            return new Row(cells.get(0), cells.get(1), cells.size() == 3 ? cells.get(2) : "");
        }

        boolean isOurs() {
            return !counterpart.equals(LATER) && !counterpart.equals(NONE);
        }
    }

    private static List<Row> rows(String table) throws IOException {
        return Files.readAllLines(Path.of("../docs/extensions", table)).stream()
                .filter(line -> !line.startsWith("#"))
                .map(Row::of)
                .toList();
    }

    @Test
    void every_public_type_of_the_sdk_has_one_row() throws IOException, URISyntaxException {
        assertThat(rows(TYPES).stream().map(Row::name))
                .containsExactlyElementsOf(
                        typesOfSdk().stream().map(HivemqTableTest::shortName).toList());
    }

    @Test
    void every_public_method_of_the_sdk_has_one_row() throws IOException, URISyntaxException {
        List<String> methods =
                typesOfSdk().stream().flatMap(HivemqTableTest::methodsOf).sorted().toList();
        assertThat(methods)
                .contains("services.publish.PublishService#publish")
                .doesNotContain("packets.general.Qos#values");
        assertThat(rows(METHODS).stream().map(Row::name)).containsExactlyElementsOf(methods);
    }

    @ParameterizedTest
    @ValueSource(strings = {TYPES, METHODS})
    void counterparts_are_in_the_api(String table) throws IOException {
        Set<String> names =
                ApiText.ofPublicTypesBeside(Extension.class).lines().stream()
                        .flatMap(HivemqTableTest::namesIn)
                        .collect(Collectors.toSet());
        assertThat(names).contains("access.AccessRule.Builder", "client.Client#attributes");
        assertThat(rows(table).stream().filter(Row::isOurs).map(Row::counterpart))
                .allMatch(names::contains);
    }

    @ParameterizedTest
    @ValueSource(strings = {TYPES, METHODS})
    void few_have_no_counterpart(String table) throws IOException {
        assertThat(rows(table).stream().filter(row -> row.counterpart.equals(NONE)))
                .hasSizeLessThanOrEqualTo(WITHOUT_COUNTERPART_MAX);
    }

    @ParameterizedTest
    @ValueSource(strings = {TYPES, METHODS})
    void each_without_a_counterpart_has_a_reason(String table) throws IOException {
        assertThat(rows(table).stream().filter(Predicate.not(Row::isOurs)))
                .noneMatch(row -> row.note.isEmpty());
    }

    /** All types of the SDK's jar are public. */
    private static List<Class<?>> typesOfSdk() throws IOException, URISyntaxException {
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
                    .<Class<?>>map(HivemqTableTest::type)
                    .sorted(Comparator.comparing(HivemqTableTest::shortName))
                    .toList();
        }
    }

    private static Class<?> type(String file) {
        try {
            String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
            return Class.forName(name, false, HivemqTableTest.class.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String shortName(Class<?> type) {
        return type.getName().substring(THEIRS.length()).replace('$', '.');
    }

    /**
     * Returns what a type adds to its superclass, which is one of the JDK; overloads have one name.
     */
    private static Stream<String> methodsOf(Class<?> type) {
        Set<String> inherited =
                type.getSuperclass() == null
                        ? Set.of()
                        : Arrays.stream(type.getSuperclass().getMethods())
                                .map(Method::getName)
                                .collect(Collectors.toSet());
        return Arrays.stream(type.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()))
                .filter(Predicate.not(Method::isSynthetic))
                .map(Method::getName)
                .filter(name -> !inherited.contains(name))
                .filter(name -> !(type.isEnum() && name.equals("values")))
                .distinct()
                .map(name -> shortName(type) + "#" + name);
    }

    /** Returns the type of a line of the API without its package's beginning, and its member. */
    private static Stream<String> namesIn(String line) {
        int end = line.indexOf(": ");
        String type = line.substring(OURS.length(), end);
        String signature =
                line.substring(end + 2).replace(ApiRecord.PREVIEW, "").replaceFirst("\\(.*", "");
        return Stream.of(type, type + "#" + signature.substring(signature.lastIndexOf(' ') + 1));
    }
}
