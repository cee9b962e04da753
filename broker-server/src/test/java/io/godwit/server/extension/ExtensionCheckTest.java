package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.config.ExtensionsConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExtensionCheckTest {
    private static final ExtensionsConfig.OfOne UNNAMED =
            new ExtensionsConfig.OfOne(
                    ExtensionsConfig.Enabled.AUTO, false, "", 1_000, 10, List.of(), 0);

    @TempDir Path root;

    private ExtensionCheck check(TestExtension extension) {
        return ExtensionCheck.of(extension.writeTo(root), "a", UNNAMED);
    }

    private static TestExtension configured(String record) {
        return TestExtension.called("a")
                .main(
                        "p.Main",
                        TestExtension.mainSource("context.configuration(Config.class);", "")
                                .replace(
                                        "private ExtensionContext context;",
                                        "private ExtensionContext context;\n" + record));
    }

    @Test
    void extension_without_mistakes_is_valid_and_was_not_started() throws Exception {
        ExtensionCheck check = check(TestExtension.logging("a"));
        assertThat(check.mistakes()).isEmpty();
        assertThat(check.remarks()).isEmpty();
        assertThat(check.summary()).isEqualTo("a 1.0");
        assertThat(root.resolve("a").resolve(TestExtension.LOG)).doesNotExist();
    }

    @Test
    void descriptor_jars_and_main_class_are_checked() throws Exception {
        assertThat(check(TestExtension.logging("a").descriptor("id: b\n")).mistakes())
                .singleElement()
                .asString()
                .contains("must be the name of the folder, a", "version: is missing");
        assertThat(check(TestExtension.called("a")).mistakes())
                .singleElement()
                .asString()
                .startsWith("none of its JARs has a file");
        Files.delete(root.resolve("a").resolve("a.jar"));
        assertThat(ExtensionCheck.of(root.resolve("a"), "a", UNNAMED).mistakes())
                .singleElement()
                .asString()
                .startsWith("there is no JAR in");
    }

    @Test
    void class_of_the_broker_that_it_uses_is_named() {
        ExtensionCheck check =
                check(
                        TestExtension.starting("a", "log(io.godwit.server.Version.current());")
                                .leftOut(
                                        "io.godwit.server.Version",
                                        "package io.godwit.server; public class Version {"
                                                + " public static String current() { return null; } }"));
        assertThat(check.mistakes())
                .containsExactly(
                        "p.Main uses io.godwit.server.Version, which is not part of the API");
    }

    @Test
    void method_and_class_that_the_api_does_not_have_are_named() {
        ExtensionCheck check =
                check(
                        TestExtension.starting(
                                        "a",
                                        "context.health().splendid(); new io.godwit.extension.Later();")
                                .leftOut(
                                        "io.godwit.extension.HealthReport",
                                        "package io.godwit.extension; public interface HealthReport"
                                                + " { void splendid(); }")
                                .leftOut(
                                        "io.godwit.extension.Later",
                                        "package io.godwit.extension; public class Later {}"));
        assertThat(check.mistakes())
                .containsExactly(
                        "p.Main uses io.godwit.extension.HealthReport.splendid()V, which the API 0.1"
                                + " does not have",
                        "p.Main uses io.godwit.extension.Later, which is not part of the API");
    }

    @Test
    void settings_are_checked_by_the_only_record_of_them() throws Exception {
        TestExtension extension =
                configured(
                        """
                        record Inner(@Setting(description = "n", max = 3, value = "1") int n) {}
                        record Config(@Setting(description = "u") String url,
                                @Setting(description = "i") Inner inner) {}
                        """);
        assertThat(check(extension).mistakes())
                .singleElement()
                .asString()
                .contains("extensions.a.config.url: is missing");
        Files.writeString(root.resolve("a").resolve("config.yaml"), "url: x\ninner: {n: 4}\n");
        assertThat(ExtensionCheck.of(root.resolve("a"), "a", UNNAMED).mistakes())
                .singleElement()
                .asString()
                .contains("extensions.a.config.inner.n = 4: allowed: a whole number ..3");
        Files.writeString(root.resolve("a").resolve("config.yaml"), "url: x\n");
        assertThat(ExtensionCheck.of(root.resolve("a"), "a", UNNAMED).mistakes()).isEmpty();
    }

    @Test
    void all_that_a_start_would_start_are_checked() throws Exception {
        TestExtension.logging("a").writeTo(root);
        TestExtension.called("b").says("required: true").writeTo(root);
        Files.createFile(TestExtension.called("c").writeTo(root).resolve("DISABLED"));
        List<ExtensionCheck> all = ExtensionCheck.ofAll(new ExtensionsConfig(root, 0, Map.of()));
        assertThat(all).extracting(ExtensionCheck::id).containsExactly("a", "b");
        assertThat(all).extracting(ExtensionCheck::isRequired).containsExactly(false, true);
        assertThat(all.get(0).mistakes()).isEmpty();
        assertThat(all.get(1).mistakes()).isNotEmpty();
    }

    @Test
    void several_records_of_settings_are_not_checked_and_a_remark_says_so() {
        ExtensionCheck check =
                check(
                        configured(
                                """
                                record Config(@Setting(description = "u") String url) {}
                                record Other(@Setting(description = "u") String url) {}
                                """));
        assertThat(check.mistakes()).isEmpty();
        assertThat(check.remarks()).singleElement().asString().contains("several records");
    }

    @Test
    void share_of_cpu_with_virtual_threads_is_a_mistake() {
        Path folder = TestExtension.logging("a").says("threads: virtual").writeTo(root);
        assertThat(ExtensionCheck.of(folder, "a", UNNAMED).mistakes()).isEmpty();
        ExtensionsConfig.OfOne half =
                new ExtensionsConfig.OfOne(
                        ExtensionsConfig.Enabled.AUTO, false, "", 1_000, 10, List.of(), 0.5);
        assertThat(ExtensionCheck.of(folder, "a", half).mistakes())
                .singleElement()
                .asString()
                .contains("extensions.a.cpu must be 0");
    }
}
