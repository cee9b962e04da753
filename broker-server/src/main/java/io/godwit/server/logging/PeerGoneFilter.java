package io.godwit.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;

/**
 * Leaves out what JGroups says at ERROR when it can't say goodbye to a node that is gone already:
 * that a node is gone is told by the link to it and by the membership, once each.
 */
final class PeerGoneFilter extends Filter<ILoggingEvent> {
    private static final String LOGGER = "org.jgroups.";
    private static final String WHAT = "failed sending graceful close";

    @Override
    public FilterReply decide(ILoggingEvent event) {
        return event.getLoggerName().startsWith(LOGGER)
                        && event.getFormattedMessage().contains(WHAT)
                ? FilterReply.DENY
                : FilterReply.NEUTRAL;
    }
}
