package io.godwit.extension;

/**
 * Takes how an extension is doing, for {@code /health/ready}, {@code GET /extensions} and a metric.
 */
public interface HealthReport {
    /** Says that all is well; so it is from the start. */
    void healthy();

    /**
     * Says that something does not work and the rest does.
     *
     * @param why in words, at most 200 characters; the rest is cut off
     */
    void degraded(String why);

    /**
     * Says that the extension cannot do its work.
     *
     * @param why in words, at most 200 characters; the rest is cut off
     */
    void failed(String why);
}
