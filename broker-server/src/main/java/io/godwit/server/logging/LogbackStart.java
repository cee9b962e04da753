package io.godwit.server.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.core.spi.ContextAwareBase;

/** What is logged before the configuration is known, and in tests: warnings, as text. */
public final class LogbackStart extends ContextAwareBase implements Configurator {
    private static final String FILE_PROPERTY = "logback.configurationFile";

    static boolean isConfiguredByFile() {
        return System.getProperty(FILE_PROPERTY) != null;
    }

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (isConfiguredByFile()) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.WARN);
        root.addAppender(Logs.console(context, new TextLines()));
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }
}
