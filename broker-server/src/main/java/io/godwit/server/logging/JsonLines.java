package io.godwit.server.logging;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.encoder.EncoderBase;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/**
 * One JSON object per line: time, level, node, thread, logger, message, and exception if there is
 * one.
 */
final class JsonLines extends EncoderBase<ILoggingEvent> {
    private static final byte[] NOTHING = {};

    private final String node;

    JsonLines(String node) {
        this.node = node;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        StringBuilder line = new StringBuilder(256);
        append(
                line,
                event.getInstant(),
                event.getLevel().toString(),
                node,
                event.getThreadName(),
                event.getLoggerName(),
                event.getFormattedMessage());
        if (event.getThrowableProxy() != null) {
            appendField(line, "exception", ThrowableProxyUtil.asString(event.getThrowableProxy()));
        }
        return line.append("}\n").toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Appends all fields but an exception; the object stays open. */
    static void append(
            StringBuilder line,
            Instant time,
            String level,
            String node,
            String thread,
            String logger,
            String message) {
        line.append("{\"time\":\"");
        TextLines.TIME.formatTo(time, line);
        line.append("\",\"level\":\"").append(level).append('"');
        appendField(line, "node", node);
        appendField(line, "thread", thread);
        appendField(line, "logger", logger);
        appendField(line, "message", message);
    }

    private static void appendField(StringBuilder line, String name, String value) {
        line.append(",\"").append(name).append("\":\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> line.append("\\\"");
                case '\\' -> line.append("\\\\");
                case '\n' -> line.append("\\n");
                case '\t' -> line.append("\\t");
                default -> {
                    if (Character.isISOControl(c) || Character.isSurrogate(c)) {
                        // An unpaired surrogate has no UTF-8; as an escape it survives.
                        line.append(String.format("\\u%04x", (int) c));
                    } else {
                        line.append(c);
                    }
                }
            }
        }
        line.append('"');
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
