package io.godwit.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ShippedFileTest {
    private static final Path FILE = Path.of("../conf/godwit.yaml");

    /** To write the file anew: {@code mvn -pl broker-server -am test -Dgodwit.conf.write=true}. */
    @Test
    void it_says_exactly_what_the_tables_say() throws IOException {
        if (Boolean.getBoolean("godwit.conf.write")) Files.writeString(FILE, ShippedFile.render());
        assertThat(Files.readString(FILE)).isEqualTo(ShippedFile.render());
    }

    @Test
    void its_values_are_the_defaults() throws Exception {
        ConfigFolders folders = ConfigFolders.of(FILE);
        ConfigFolders same = new ConfigFolders(folders.relative(), folders.relative());
        MemoryBudget budget = MemoryBudget.ofThisProcess();
        assertThat(ConfigLoader.load(FILE, Map.of(), List.of(), same, budget))
                .isEqualTo(ConfigLoader.load(null, Map.of(), List.of(), same, budget));
    }

    @Test
    void every_key_stands_in_it_with_its_range_and_no_other() throws IOException {
        List<ConfigProblem> problems = new ArrayList<>();
        List<String> written =
                YamlSource.read(FILE, problems).stream().map(Assignment::key).toList();
        assertThat(problems).isEmpty();
        assertThat(written).containsAll(Keys.ALL.stream().map(Key::name).toList());
        assertThat(written).allMatch(key -> KnownKeys.find(key).isPresent());
        String words = Files.readString(FILE).replaceAll("\\s*\\n\\s*#\\s*", " ");
        for (Key<?> key : ListenerKeys.ALL) {
            assertThat(words).contains(key.name() + ": " + key.meaning());
        }
        for (Key<?> key : ExtensionKeys.OF_ONE) {
            assertThat(words).contains(key.name() + ": " + key.meaning());
        }
        allKeys().forEach(key -> assertThat(words).contains(ShippedFile.facts(key)));
    }

    static Stream<Key<?>> allKeys() {
        return Stream.of(Keys.ALL, ListenerKeys.ALL, ExtensionKeys.OF_ONE)
                .<Key<?>>flatMap(List::stream);
    }

    /** Extensions have keys that are called as those of listeners are. */
    private static String fullName(Key<?> key) {
        return (ExtensionKeys.OF_ONE.contains(key) ? "extensions.<id>." : "") + key.name();
    }

    @ParameterizedTest
    @MethodSource("allKeys")
    void a_default_is_allowed_and_reads_back_as_it_is_written(Key<?> key) {
        if (key == ListenerKeys.BIND) return; // its default depends on the type
        if (key.fallback() instanceof List<?>) {
            assertThat(key.shownFallback())
                    .isIn("[TLSv1.3, TLSv1.2]", "[/mqtt, /]", "[auto]", "[]");
        } else if (!key.fallback().equals("")) {
            assertThat(key.type().parse(key.shownFallback()).map(Object.class::cast))
                    .contains(key.fallback());
        }
    }

    @ParameterizedTest
    @MethodSource("allKeys")
    void a_variable_means_one_key_only_and_is_none_that_kubernetes_sets(Key<?> key) {
        String variable = Key.environmentName(fullName(key));
        assertThat(EnvironmentSource.OF_KUBERNETES.matcher(variable).matches()).isFalse();
        assertThat(allKeys().map(ShippedFileTest::fullName).map(Key::environmentName))
                .as("no other key gives %s", variable)
                .containsOnlyOnce(variable);
        String suffix = variable.substring("GODWIT".length());
        if (ListenerKeys.ALL.contains(key)) {
            assertThat(ListenerKeys.ALL.stream().map(Key::name).map(Key::environmentName))
                    .as("only %s ends with %s", key.name(), suffix)
                    .filteredOn(other -> other.endsWith(suffix))
                    .hasSize(1);
        }
    }
}
