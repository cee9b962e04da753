package io.godwit.server.config;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Says where extensions are, and how each of them is run ({@code extensions.*}).
 *
 * @param folder absolute; may not exist
 * @param watchMs between two looks at the folder; 0: never
 * @param named those that the configuration names, by id
 */
public record ExtensionsConfig(Path folder, long watchMs, Map<String, OfOne> named) {
    private static final OfOne UNNAMED =
            new OfOne(
                    ExtensionKeys.ENABLED.fallback(),
                    ExtensionKeys.REQUIRED.fallback(),
                    ExtensionKeys.THREADS.fallback(),
                    ExtensionKeys.CALL_TIME.fallback(),
                    Math.toIntExact(ExtensionKeys.WAITING.fallback()),
                    List.of(),
                    0);

    public ExtensionsConfig {
        named = Map.copyOf(named);
    }

    /** Returns how the extension of this id is run. */
    public OfOne of(String id) {
        return named.getOrDefault(id, UNNAMED);
    }

    /** Says whether an extension runs. */
    public enum Enabled {
        /** Unless its folder has a file {@code DISABLED}. */
        AUTO,
        TRUE,
        FALSE
    }

    /**
     * Says how one extension is run.
     *
     * @param threads a number or {@code virtual}; empty: as its descriptor says
     * @param callMs that one of its calls may take
     * @param waiting calls that may wait for it
     * @param settings what was written to its own keys, in the order of what counts; each key with
     *     {@code extensions.<id>.config.} in front
     * @param cpu processors that its threads may use; 0: any number
     */
    public record OfOne(
            Enabled enabled,
            boolean required,
            String threads,
            long callMs,
            int waiting,
            List<Assignment> settings,
            double cpu) {
        public OfOne {
            settings = List.copyOf(settings);
        }

        /**
         * Returns whether it runs.
         *
         * @param isDisabled there is a file {@code DISABLED} in its folder
         */
        public boolean runs(boolean isDisabled) {
            return switch (enabled) {
                case AUTO -> !isDisabled;
                case TRUE -> true;
                case FALSE -> false;
            };
        }

        /** Keeps values out of the log: some of them are secrets. */
        @Override
        public String toString() {
            return "OfOne[enabled=" + enabled + ", required=" + required + "]";
        }
    }
}
