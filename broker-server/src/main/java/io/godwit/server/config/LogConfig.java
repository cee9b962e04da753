package io.godwit.server.config;

/** The log on standard output ({@code log.*}). */
public record LogConfig(Level level, Format format) {

    /** The least that is logged. */
    public enum Level {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** How a line looks. */
    public enum Format {
        TEXT,
        /** One JSON object per line. */
        JSON
    }
}
