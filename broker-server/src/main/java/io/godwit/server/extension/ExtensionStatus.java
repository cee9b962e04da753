package io.godwit.server.extension;

import java.time.Instant;
import java.util.Locale;

/**
 * Says how one extension is doing.
 *
 * @param version empty while its descriptor could not be read
 * @param cause why it does not run, or why a newer one in its folder does not; empty: there is none
 * @param health of one that runs, as it says itself
 * @param healthCause empty when all is well
 * @param isRequired the broker is not ready without it
 * @param since when it came into this state
 */
public record ExtensionStatus(
        String id,
        String name,
        String version,
        State state,
        String cause,
        String health,
        String healthCause,
        boolean isRequired,
        Instant since) {
    /** Says whether an extension runs. */
    public enum State {
        /** Its folder was found; it will start. */
        WAITING,
        STARTING,
        RUNNING,
        /** It runs, and the one that takes its place is starting. */
        REPLACING,
        STOPPING,
        /** A file or a key says so. */
        DISABLED,
        /** It could not be loaded or started. */
        FAILED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String HEALTHY = "healthy";

    /** Returns whether its code is asked and told. */
    public boolean isRunning() {
        return state == State.RUNNING || state == State.REPLACING;
    }

    /** Returns whether it does what it is there for. */
    public boolean isWell() {
        return switch (state) {
            case RUNNING, REPLACING -> health.equals(HEALTHY);
            case FAILED -> false;
            case WAITING, STARTING, STOPPING, DISABLED -> !isRequired;
        };
    }

    /** Returns whether it is required and cannot do its work. */
    public boolean isMissed() {
        return isRequired && (!isRunning() || health.equals("failed"));
    }
}
