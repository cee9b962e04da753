package io.godwit.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtensionsConfigTest {
    private static final MemoryBudget BUDGET = new MemoryBudget(1L << 30, 256L << 20, 128L << 20);
    private static final Path HOME = Path.of("/opt/godwit");
    @TempDir Path folder;

    private ExtensionsConfig load(String yaml, Map<String, String> environment, String... sets)
            throws ConfigException, IOException {
        Path file = Files.writeString(folder.resolve("godwit.yaml"), yaml);
        ConfigFolders folders = new ConfigFolders(Path.of("/etc/godwit"), HOME);
        return ConfigLoader.load(file, environment, List.of(sets), folders, BUDGET).extensions();
    }

    private List<String> mistakes(String yaml, Map<String, String> environment, String... sets) {
        ConfigException failure =
                catchThrowableOfType(ConfigException.class, () -> load(yaml, environment, sets));
        assertThat(failure).as("the configuration is refused").isNotNull();
        return failure.problems().stream()
                .map(ConfigProblem::toString)
                .map(line -> line.replaceAll(".*godwit.yaml ", ""))
                .toList();
    }

    @Test
    void folder_is_beside_the_program_unless_it_is_set() throws Exception {
        assertThat(load("", Map.of()).folder()).isEqualTo(HOME.resolve("extensions"));
        assertThat(load("extensions: {folder: mine}", Map.of()).folder())
                .isEqualTo(Path.of("/etc/godwit/mine"));
    }

    @Test
    void extension_that_is_not_named_has_the_defaults() throws Exception {
        ExtensionsConfig.OfOne one = load("", Map.of()).of("a");
        assertThat(one.enabled()).isEqualTo(ExtensionsConfig.Enabled.AUTO);
        assertThat(one.required()).isFalse();
        assertThat(one.threads()).isEmpty();
        assertThat(one.callMs()).isEqualTo(10_000);
        assertThat(one.waiting()).isEqualTo(10_000);
        assertThat(one.settings()).isEmpty();
    }

    @Test
    void keys_of_one_extension_come_from_file_environment_and_command_line() throws Exception {
        ExtensionsConfig config =
                load(
                        """
                        extensions:
                          http-auth:
                            enabled: false
                            threads: virtual
                            call-time: 2s
                            config:
                              url: http://a
                              retry: {times: 3}
                          other.required: true
                        """,
                        Map.of(
                                "GODWIT_EXTENSIONS_HTTP_AUTH_CONFIG_RETRY_TIMES", "4",
                                "GODWIT_EXTENSIONS_HTTP_AUTH_CONFIG_PORT", "80",
                                "GODWIT_EXTENSIONS_HTTP_AUTH_WAITING", "7"),
                        "extensions.http-auth.config.url=http://b");
        ExtensionsConfig.OfOne one = config.of("http-auth");
        assertThat(one.enabled()).isEqualTo(ExtensionsConfig.Enabled.FALSE);
        assertThat(one.threads()).isEqualTo("virtual");
        assertThat(one.callMs()).isEqualTo(2_000);
        assertThat(one.waiting()).isEqualTo(7);
        assertThat(one.settings())
                .extracting(each -> each.key().substring("extensions.http-auth.config.".length()))
                .containsExactly("url", "retry.times", "PORT", "RETRY_TIMES", "url");
        assertThat(config.of("other").required()).isTrue();
    }

    @Test
    void mistakes_name_the_nearest_key_and_show_no_value_that_may_be_a_secret() {
        assertThat(
                        mistakes(
                                """
                                extensions:
                                  watch: 1ms
                                  a: {thread: 3, threads: 65, confg.password: hunter2}
                                  B: {threads: 3}
                                """,
                                Map.of("GODWIT_EXTENSIONS_A_CNFIG_PASSWORD", "hunter2")))
                .anySatisfy(
                        line -> assertThat(line).contains("extensions.watch = 1ms: allowed: 0,"))
                .anySatisfy(line -> assertThat(line).contains("did you mean extensions.a.threads"))
                .anySatisfy(line -> assertThat(line).contains("65: allowed: 1..64, virtual"))
                .anySatisfy(line -> assertThat(line).contains("an extension's id is up to 64"))
                .noneSatisfy(line -> assertThat(line).contains("hunter2"));
    }

    @Test
    void config_command_shows_that_there_is_a_setting_and_not_its_value() throws Exception {
        Path file =
                Files.writeString(
                        folder.resolve("g.yaml"),
                        "extensions: {a: {threads: 3, config: {password: hunter2}}}\n");
        List<String> lines =
                EffectiveValue.all(file, Map.of(), List.of()).stream()
                        .map(each -> each.toString().replaceAll(" +", " "))
                        .toList();
        assertThat(lines)
                .contains(
                        "extensions.a.threads: 3 # " + file + " line 1",
                        "extensions.a.enabled: auto # default",
                        "extensions.a.config.password: (secret) # " + file + " line 1");
    }
}
