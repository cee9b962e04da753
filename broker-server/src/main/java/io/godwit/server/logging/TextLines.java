package io.godwit.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeFormatterBuilder;

/** {@code 2026-01-31T12:00:00.123Z INFO [shard-1] Listeners: message}. */
final class TextLines extends EncoderBase<ILoggingEvent> {
    /** UTC with exactly three digits of a second, so that columns stay. */
    static final DateTimeFormatter TIME =
            new DateTimeFormatterBuilder().appendInstant(3).toFormatter();

    private static final byte[] NOTHING = {};

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(160);
        append(
                line,
                event.getInstant(),
                event.getLevel().toString(),
                event.getThreadName(),
                event.getLoggerName(),
                event.getFormattedMessage());
        if (event.getThrowableProxy() != null) {
            line.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    static void append(
            StringBuilder line,
            Instant time,
            String level,
            String thread,
            String logger,
            String message) {
        TIME.formatTo(time, line);
        line.append(' ').append(level);
        for (int i = level.length(); i < 5; i++) {
            line.append(' ');
        }
        line.append(" [")
                .append(thread)
                .append("] ")
                .append(logger, logger.lastIndexOf('.') + 1, logger.length())
                .append(": ");
        appendPrintable(line, message);
        line.append('\n');
    }

    /** A client id may hold anything: no control character of it may forge a line. */
    private static void appendPrintable(StringBuilder line, String message) {
        for (int i = 0; i < message.length(); i++) {
            char c = message.charAt(i);
            if (Character.isISOControl(c) && c != '\t') {
                line.append(String.format("\\u%04x", (int) c));
            } else {
                line.append(c);
            }
        }
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }
}
