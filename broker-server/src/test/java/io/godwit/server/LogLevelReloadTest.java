package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.godwit.server.config.ConfigLoader;
import io.godwit.server.config.LogConfig;
import io.godwit.server.reload.ReloadResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class LogLevelReloadTest {
    private static final Logger OURS = (Logger) LoggerFactory.getLogger("io.godwit");
    private static final Logger ROOT =
            (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

    private final Level before = OURS.getEffectiveLevel();
    private final Level rootBefore = ROOT.getLevel();

    @AfterEach
    void restore() {
        OURS.setLevel(before);
        ROOT.setLevel(rootBefore);
    }

    @Test
    void level_of_the_file_counts_and_a_mistake_keeps_the_old_one(@TempDir Path folder)
            throws Exception {
        Path file = Files.writeString(folder.resolve("godwit.yaml"), "log:\n  level: info\n");
        LogLevelReload part =
                new LogLevelReload(
                        () -> ConfigLoader.load(file, Map.of(), List.of()), LogConfig.Level.INFO);
        assertThat(part.reload().kind()).isEqualTo(ReloadResult.Kind.UNCHANGED);

        Files.writeString(file, "log:\n  level: debug\n");
        assertThat(part.reload()).isEqualTo(ReloadResult.changed("info -> debug"));
        assertThat(OURS.getLevel()).isEqualTo(Level.DEBUG);
        assertThat(ROOT.getLevel()).isEqualTo(Level.WARN);

        Files.writeString(file, "log:\n  level: loud\n");
        ReloadResult failed = part.reload();
        assertThat(failed.kind()).isEqualTo(ReloadResult.Kind.FAILED);
        assertThat(failed.text()).contains("log.level", "loud");
        assertThat(OURS.getLevel()).isEqualTo(Level.DEBUG);
    }
}
