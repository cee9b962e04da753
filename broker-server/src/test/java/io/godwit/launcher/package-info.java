/** The launcher {@code godwit}, function by function; {@code LauncherIT} runs it as a whole. */
@NullMarked
package io.godwit.launcher;

import org.jspecify.annotations.NullMarked;
