package io.godwit.extensions.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.extension.Extension;
import io.godwit.extension.Setting;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** What stands in files beside the code. */
class SettingsTest {
    private static final Path FOLDER = Path.of("src/main/folder");
    private static final Path PAGE = Path.of("../../docs/extensions/http.md");

    private static List<String> keys() {
        return Arrays.stream(HttpSettings.class.getRecordComponents())
                .map(RecordComponent::getName)
                .map(name -> name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT))
                .toList();
    }

    @Test
    void sample_has_every_key() throws IOException {
        List<String> lines = Files.readAllLines(FOLDER.resolve("config.sample.yaml"));
        assertThat(keys())
                .allMatch(key -> lines.stream().anyMatch(each -> each.startsWith(key + ":")));
    }

    @Test
    void page_has_every_key_with_its_default() throws IOException {
        List<String> lines = Files.readAllLines(PAGE);
        RecordComponent[] components = HttpSettings.class.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Setting setting = components[i].getAnnotation(Setting.class);
            String key = keys().get(i);
            String value =
                    switch (setting.value()) {
                        case Setting.REQUIRED -> "required";
                        case Setting.NONE, "{}" -> "none";
                        default -> "`" + setting.value() + "`";
                    };
            assertThat(lines)
                    .as(key)
                    .anyMatch(line -> line.startsWith("| `" + key + "` | " + value + " |"));
        }
    }

    @Test
    void service_entry_names_the_extension() {
        assertThat(ServiceLoader.load(Extension.class).stream().map(ServiceLoader.Provider::type))
                .containsExactly(HttpExtension.class);
    }
}
