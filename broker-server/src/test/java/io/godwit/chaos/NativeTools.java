package io.godwit.chaos;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/** What some tests need of the machine: they fail without it in CI, and are skipped elsewhere. */
public final class NativeTools {
    private NativeTools() {}

    /**
     * @param problem what is missing; null when all is there
     */
    public static void need(@Nullable String problem) {
        if (problem == null) {
            return;
        }
        if (System.getenv("CI") != null) {
            throw new AssertionError(problem);
        }
        System.err.println("NOT TESTED: " + problem);
        Assumptions.abort(problem);
    }
}
