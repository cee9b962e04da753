package io.godwit.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Leaves out what JGroups says of a node that is gone: at ERROR that it could not say goodbye, and
 * at WARN, with a stack trace, that it has closed the connection which it was reading from. That a
 * node is gone is told by the link to it and by the membership, in a line each.
 */
final class PeerGoneFilter extends Filter<ILoggingEvent> {
    private static final List<String> LOGGERS =
            List.of("org.jgroups.", "io.godwit.cluster.jgroups.");
    private static final String GOODBYE = "failed sending graceful close";
    private static final String READING = "failed handling message";

    /** What a stream says to who reads on after it was closed on this side. */
    private static final String CLOSED = "Stream closed";

    @Override
    public FilterReply decide(ILoggingEvent event) {
        return LOGGERS.stream().anyMatch(event.getLoggerName()::startsWith) && isOfGoneNode(event)
                ? FilterReply.DENY
                : FilterReply.NEUTRAL;
    }

    private static boolean isOfGoneNode(ILoggingEvent event) {
        String message = event.getFormattedMessage();
        return message.contains(GOODBYE)
                || message.contains(READING)
                        && (message.endsWith(CLOSED) || wasClosed(event.getThrowableProxy()));
    }

    private static boolean wasClosed(@Nullable IThrowableProxy cause) {
        return cause != null
                && cause.getClassName().equals(IOException.class.getName())
                && CLOSED.equals(cause.getMessage());
    }
}
