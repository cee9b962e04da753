package io.godwit.server;

import io.godwit.server.config.ConfigException;
import io.godwit.server.config.LogConfig;
import io.godwit.server.logging.Logs;
import io.godwit.server.reload.ReloadResult;
import io.godwit.server.reload.Reloadable;
import java.util.Locale;

/** Reads the configuration again for {@code log.level}. */
final class LogLevelReload implements Reloadable {
    private final ConfigSource source;
    private LogConfig.Level level;

    /**
     * @param level of the start
     */
    LogLevelReload(ConfigSource source, LogConfig.Level level) {
        this.source = source;
        this.level = level;
    }

    @Override
    public String name() {
        return "log.level";
    }

    @Override
    public ReloadResult reload() {
        LogConfig.Level next;
        try {
            next = source.load().log().level();
        } catch (ConfigException mistake) {
            return ReloadResult.failed(mistake.problems().getFirst().toString());
        }
        if (next == level) {
            return ReloadResult.unchanged();
        }
        String text = text(level) + " -> " + text(next);
        level = next;
        Logs.level(next);
        return ReloadResult.changed(
                next == LogConfig.Level.TRACE
                        ? text + "; a line per packet only after a start with it"
                        : text);
    }

    private static String text(LogConfig.Level level) {
        return level.name().toLowerCase(Locale.ROOT);
    }
}
