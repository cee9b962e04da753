package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.godwit.extension.ConfigurationException;
import io.godwit.extension.Setting;
import io.godwit.server.config.Assignment;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SettingsReaderTest {
    @TempDir Path folder;

    enum Mode {
        FAST,
        VERY_SLOW
    }

    record Retry(
            @Setting(description = "how often", value = "3", min = 0, max = 9) int times,
            @Setting(description = "pause", value = "1s", min = 100) Duration pause) {}

    record All(
            @Setting(description = "where") URI url,
            @Setting(description = "word", secret = true) String apiKey,
            @Setting(description = "b", value = "true") boolean isOn,
            @Setting(description = "n", value = "5000000000") long bytes,
            @Setting(description = "share", value = "0.5", min = 0, max = 1) double share,
            @Setting(description = "mode", value = "very-slow") Mode mode,
            @Setting(description = "file", value = "ca.pem") Path file,
            @Setting(description = "names", value = "a, b", max = 3) List<String> names,
            @Setting(description = "numbers", value = "") List<Integer> numbers,
            @Setting(description = "headers", value = "") Map<String, String> headers,
            @Setting(description = "retries") Retry retry,
            @Setting(description = "second", value = Setting.NONE) @Nullable URI other,
            @Setting(description = "third", value = Setting.NONE) @Nullable Retry none) {}

    record Checked(@Setting(description = "n", value = "1") int number) {
        Checked {
            if (number == 1) {
                throw new IllegalArgumentException("number must not be 1");
            }
        }
    }

    private static Assignment set(String key, String text) {
        return new Assignment("extensions.x.config." + key, text, "--set");
    }

    private SettingsReader reader(Assignment... configured) {
        return new SettingsReader("x", folder, List.of(configured));
    }

    private List<String> mistakes(Class<? extends Record> type, Assignment... configured) {
        ConfigurationException wrong =
                catchThrowableOfType(
                        ConfigurationException.class, () -> reader(configured).read(type));
        assertThat(wrong).isNotNull();
        return wrong.mistakes();
    }

    @Test
    void defaults_stand_in_for_all_that_is_not_written() throws Exception {
        All all = reader(set("url", "http://a/b"), set("api-key", "hunter2")).read(All.class);
        assertThat(all)
                .isEqualTo(
                        new All(
                                URI.create("http://a/b"),
                                "hunter2",
                                true,
                                5_000_000_000L,
                                0.5,
                                Mode.VERY_SLOW,
                                folder.resolve("ca.pem"),
                                List.of("a", "b"),
                                List.of(),
                                Map.of(),
                                new Retry(3, Duration.ofSeconds(1)),
                                null,
                                null));
    }

    @Test
    void file_in_the_folder_comes_first_and_the_brokers_configuration_counts_before_it()
            throws Exception {
        Files.writeString(
                folder.resolve("config.yaml"),
                """
                url: http://file
                api-key: f
                numbers: [1, 2]
                headers: {X-A: one, x-b: two}
                retry: {times: 1, pause: 2s}
                none: {times: 2}
                """);
        All all =
                reader(
                                set("url", "http://set"),
                                new Assignment(
                                        "extensions.x.config.RETRY_TIMES",
                                        "4",
                                        "GODWIT_EXTENSIONS_X_CONFIG_RETRY_TIMES"),
                                set("headers.x-b", "three"))
                        .read(All.class);
        assertThat(all.url()).isEqualTo(URI.create("http://set"));
        assertThat(all.numbers()).containsExactly(1, 2);
        assertThat(all.headers()).isEqualTo(Map.of("X-A", "one", "x-b", "three"));
        assertThat(all.retry()).isEqualTo(new Retry(4, Duration.ofSeconds(2)));
        assertThat(all.none()).isEqualTo(new Retry(2, Duration.ofSeconds(1)));
    }

    @Test
    void all_mistakes_are_told_at_once_and_no_secret() throws Exception {
        record Wrong(
                @Setting(description = "where") URI url,
                @Setting(description = "pin", secret = true) int pin,
                @Setting(description = "m", value = "fast") Mode mode,
                @Setting(description = "r") Retry retry,
                @Setting(description = "l", value = "", min = 0, max = 1) List<Integer> list) {}
        List<String> mistakes =
                mistakes(
                        Wrong.class,
                        set("pin", "hunter2"),
                        set("mode", "slow"),
                        set("retry.times", "10"),
                        set("retry.pause", "1ms"),
                        set("retry.tims", "hunter2"),
                        set("list", "1,2"));
        assertThat(mistakes)
                .containsExactlyInAnyOrder(
                        "configuration: extensions.x.config.url: is missing (where); allowed: a URI",
                        "--set: extensions.x.config.pin = (secret): allowed: a whole number",
                        "--set: extensions.x.config.mode = slow: allowed: fast, very-slow",
                        "--set: extensions.x.config.retry.times = 10: allowed: a whole number 0..9",
                        "--set: extensions.x.config.retry.pause = 1ms: allowed: a time such as"
                                + " 500ms, 10s, 5m 100ms..",
                        "--set: extensions.x.config.retry.tims: unknown key, did you mean"
                                + " retry.times",
                        "--set: extensions.x.config.list = 1,2: allowed: a list, each a whole number;"
                                + " entries: 0..1");
        assertThat(String.join("", mistakes)).doesNotContain("hunter2");
    }

    @Test
    void what_the_records_constructor_refuses_is_a_mistake() {
        assertThat(mistakes(Checked.class))
                .containsExactly("configuration: extensions.x.config: number must not be 1");
    }

    @Test
    void file_that_is_not_yaml_is_a_mistake_of_its_own() throws Exception {
        Files.writeString(folder.resolve("config.yaml"), "times: [1\n");
        assertThat(mistakes(Retry.class)).anySatisfy(line -> assertThat(line).contains("not YAML"));
    }

    @Test
    void record_that_is_not_one_for_settings_is_refused() {
        record Undocumented(int number) {}
        record Strange(@Setting(description = "x", value = "") Object any) {}
        record NeverNull(@Setting(description = "x", value = Setting.NONE) int number) {}
        List<Class<? extends Record>> all = new ArrayList<>();
        all.add(Undocumented.class);
        all.add(Strange.class);
        all.add(NeverNull.class);
        for (Class<? extends Record> each : all) {
            assertThatThrownBy(() -> reader().read(each))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }
}
