package io.godwit.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.encoder.EncoderBase;
import io.godwit.server.config.LogConfig;
import org.slf4j.LoggerFactory;

/** Sets the log up from the configuration; made in code, since reading XML costs start-up time. */
public final class Logs {
    /** Says that the broker is ready, whatever {@code log.level} is: programs wait for it. */
    public static final String READY_LOGGER = "io.godwit.server.Ready";

    private Logs() {}

    /**
     * Applies {@code log.*}. Does nothing when the operator brought a logback file ({@code
     * -Dlogback.configurationFile}).
     *
     * @param node node.name, for the JSON lines
     */
    public static void configure(LogConfig config, String node) {
        if (!(LoggerFactory.getILoggerFactory() instanceof LoggerContext context)
                || LogbackStart.isConfiguredByFile()) {
            return;
        }
        EncoderBase<ILoggingEvent> encoder =
                config.format() == LogConfig.Format.JSON ? new JsonLines(node) : new TextLines();
        context.reset();
        BoundedAsyncAppender async = new BoundedAsyncAppender();
        async.setContext(context);
        async.addFilter(new PeerGoneFilter());
        async.addAppender(console(context, encoder));
        async.start();
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.addAppender(async);
        level(context, config.level());
    }

    /** Changes the level; does nothing when the operator brought a logback file. */
    public static void level(LogConfig.Level level) {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context
                && !LogbackStart.isConfiguredByFile()) {
            level(context, level);
        }
    }

    private static void level(LoggerContext context, LogConfig.Level configured) {
        Level level = Level.toLevel(configured.name());
        // Below its warnings a library tells about itself, not about decisions of this broker.
        context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME)
                .setLevel(level.isGreaterOrEqual(Level.WARN) ? level : Level.WARN);
        context.getLogger("io.godwit").setLevel(level);
        context.getLogger(READY_LOGGER).setLevel(Level.INFO);
    }

    static ConsoleAppender<ILoggingEvent> console(
            LoggerContext context, EncoderBase<ILoggingEvent> encoder) {
        encoder.setContext(context);
        encoder.start();
        ConsoleAppender<ILoggingEvent> console = new ConsoleAppender<>();
        console.setContext(context);
        console.setEncoder(encoder);
        console.start();
        return console;
    }

    /** Writes what waits, and ends the log's thread. */
    public static void stop() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.stop();
        }
    }
}
