package io.godwit.server.extension;

import java.util.List;

/** Takes which extensions run and what they have registered. */
@FunctionalInterface
public interface RunningExtensions {
    /**
     * Takes the place of what was told before, in one step. Called by any thread, one after the
     * other; must not block.
     *
     * @param running the one with the highest priority first, then by id
     */
    void changed(List<RunningExtension> running);
}
