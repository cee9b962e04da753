package io.godwit.core.takeover;

import io.godwit.core.session.Session;
import org.jspecify.annotations.Nullable;

/** Claims a session that a node offers since it leaves: it stays as offline as it was there. */
enum Nobody implements Claimant {
    WAITS;

    @Override
    public @Nullable Session granted(@Nullable Session existing, long homeChanges) {
        return existing;
    }

    @Override
    public void refused() {}
}
