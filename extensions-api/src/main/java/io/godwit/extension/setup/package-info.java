/** Holds what extensions set up for one client alone. */
@NullMarked
package io.godwit.extension.setup;

import org.jspecify.annotations.NullMarked;
