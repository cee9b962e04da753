/**
 * Reads parts of the configuration again while the broker runs: on SIGHUP, on {@code POST /reload},
 * and for files that are watched. Start with {@link io.godwit.server.reload.ReloadService}.
 */
@NullMarked
package io.godwit.server.reload;

import org.jspecify.annotations.NullMarked;
