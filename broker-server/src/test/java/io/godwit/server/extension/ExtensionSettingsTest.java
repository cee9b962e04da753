package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.config.Assignment;
import io.godwit.server.config.ExtensionsConfig;
import io.godwit.server.extension.ExtensionStatus.State;
import io.godwit.server.reload.ReloadResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of extensions that change while these run. */
class ExtensionSettingsTest {
    private static final String LISTENING =
            """
            Settings first = context.configuration(Settings.class, next -> {
                if (next.times() == 13) {
                    throw new ConfigurationException(List.of("13 is unlucky", "so is 13"));
                }
                if (next.times() == 14) {
                    throw new IllegalStateException("no");
                }
                if (next.times() == 15) {
                    Thread.sleep(60_000);
                }
                log("told " + next.times() + " " + Thread.currentThread().getName()
                        + " " + context.configuration(Settings.class).times());
            });
            log("start " + first.times());
            """;

    private static final String SETTINGS =
            """
            package p;
            import io.godwit.extension.Setting;
            public record Settings(
                    @Setting(description = "How often", value = "1", min = 1, max = 20) int times) {}
            """;

    @TempDir Path root;
    private ExtensionsFixture fixture;
    private Path folder;

    @BeforeEach
    void start() throws Exception {
        fixture = new ExtensionsFixture(root);
        folder =
                TestExtension.starting("a", LISTENING)
                        .source("p.Settings", SETTINGS)
                        .writeTo(fixture.folder);
        fixture.named.put("a", configured(List.of()));
        fixture.start();
        assertThat(fixture.state("a").state()).isEqualTo(State.RUNNING);
        assertThat(fixture.log("a")).containsExactly("start 1");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private static ExtensionsConfig.OfOne configured(List<Assignment> settings) {
        return new ExtensionsConfig.OfOne(
                ExtensionsConfig.Enabled.AUTO, false, "", 1_000, 10, settings, 0);
    }

    private void write(String text) throws Exception {
        Files.writeString(folder.resolve("config.yaml"), text);
    }

    private ReloadResult reload(Assignment... settings) throws Exception {
        return fixture.extensions()
                .reconfigure(
                        new ExtensionsConfig(
                                fixture.folder, 0, Map.of("a", configured(List.of(settings)))))
                .get(20, TimeUnit.SECONDS);
    }

    @Test
    void file_that_two_looks_find_the_same_is_told_once() throws Exception {
        write("times: 2");
        fixture.extensions().lookLater().get();
        assertThat(fixture.log("a")).containsExactly("start 1");
        fixture.lookTwice();
        fixture.lookTwice();
        assertThat(fixture.log("a")).containsExactly("start 1", "told 2 extension-a-config 2");
        write("times: 2 # a remark");
        fixture.lookTwice();
        assertThat(fixture.log("a")).hasSize(2);
    }

    @Test
    void reload_tells_of_the_file_and_of_the_brokers_configuration() throws Exception {
        assertThat(reload()).isEqualTo(ReloadResult.unchanged());
        write("times: 3");
        assertThat(reload()).isEqualTo(ReloadResult.changed("a: new settings"));
        assertThat(reload(new Assignment("extensions.a.config.times", "4", "test")))
                .isEqualTo(ReloadResult.changed("a: new settings"));
        assertThat(fixture.log("a")).hasSize(3).last().asString().startsWith("told 4 ");
        fixture.lookTwice();
        assertThat(fixture.log("a")).hasSize(3);
        TestExtension.starting("a", LISTENING)
                .source("p.Settings", SETTINGS)
                .version("2")
                .writeTo(fixture.folder);
        fixture.extensions().replace("a").get();
        assertThat(fixture.log("a")).contains("start 4");
    }

    @Test
    void mistakes_are_all_named_and_never_told_and_the_old_settings_stay() throws Exception {
        write("times: 0\nother: 1");
        ReloadResult result = reload();
        assertThat(result.kind()).isEqualTo(ReloadResult.Kind.FAILED);
        assertThat(result.text())
                .startsWith("a: ")
                .contains("extensions.a.config.times", "allowed: a whole number 1..20")
                .contains("extensions.a.config.other", "unknown key");
        assertThat(fixture.log("a")).containsExactly("start 1");
        write("times: 1");
        assertThat(reload()).isEqualTo(ReloadResult.unchanged());
        assertThat(fixture.state("a").state()).isEqualTo(State.RUNNING);
    }

    @Test
    void extension_may_refuse_and_hears_of_them_again() throws Exception {
        write("times: 13");
        assertThat(reload()).isEqualTo(ReloadResult.failed("a: 13 is unlucky; so is 13"));
        assertThat(reload()).isEqualTo(ReloadResult.failed("a: 13 is unlucky; so is 13"));
        write("times: 14");
        assertThat(reload().text()).contains("a: onConfigChanged() threw").contains("no");
        write("times: 15");
        assertThat(reload())
                .isEqualTo(
                        ReloadResult.failed("a: onConfigChanged() has not returned within 1.0 s"));
        write("times: 5");
        assertThat(reload()).isEqualTo(ReloadResult.changed("a: new settings"));
    }

    @Test
    void extension_that_does_not_listen_is_left_alone() throws Exception {
        TestExtension.logging("b").writeTo(fixture.folder);
        fixture.lookTwice();
        Files.writeString(fixture.folder.resolve("b").resolve("config.yaml"), "x: 1");
        fixture.lookTwice();
        assertThat(reload()).isEqualTo(ReloadResult.unchanged());
        assertThat(fixture.log("b")).containsExactly("start");
    }

    @Test
    void second_listener_is_refused() throws Exception {
        TestExtension.starting(
                        "b",
                        """
                        context.configuration(Settings.class, next -> {});
                        context.configuration(Settings.class, next -> {});
                        """)
                .source("p.Settings", SETTINGS)
                .writeTo(fixture.folder);
        fixture.lookTwice();
        assertThat(fixture.state("b").cause()).contains("there is a listener already");
    }
}
