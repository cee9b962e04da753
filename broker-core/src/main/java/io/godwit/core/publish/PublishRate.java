package io.godwit.core.publish;

/**
 * Limits how fast a client may publish ({@code limits.publish-rate}, {@code .publish-bytes}): what
 * a second brings may come at once. What was read counts, and until it is paid back the socket is
 * not read.
 */
final class PublishRate {
    private final int perSecond;
    private final long bytesPerSecond;

    /** Monotonic milliseconds until which what was read is paid back. */
    private long messagesPaidMs;

    private long bytesPaidMs;

    /** Holds what is less than a millisecond's worth. */
    private long messagesRest;

    private long bytesRest;

    /**
     * @param perSecond messages; 0: any number
     * @param bytesPerSecond 0: any number
     */
    PublishRate(int perSecond, long bytesPerSecond) {
        this.perSecond = perSecond;
        this.bytesPerSecond = bytesPerSecond;
    }

    /** Counts a PUBLISH. */
    void add(long nowMs, long bytes) {
        if (perSecond > 0) {
            messagesPaidMs = Math.max(messagesPaidMs, nowMs - 1_000);
            messagesRest += 1_000;
            messagesPaidMs += messagesRest / perSecond;
            messagesRest %= perSecond;
        }
        if (bytesPerSecond > 0) {
            bytesPaidMs = Math.max(bytesPaidMs, nowMs - 1_000);
            bytesRest += bytes * 1_000;
            bytesPaidMs += bytesRest / bytesPerSecond;
            bytesRest %= bytesPerSecond;
        }
    }

    /** Whether more has come than may. */
    boolean isExceeded(long nowMs) {
        return messagesPaidMs > nowMs || bytesPaidMs > nowMs;
    }
}
