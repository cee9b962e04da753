/** Holds what an extension is, what it gets at its start, and how it answers. */
@NullMarked
package io.godwit.extension;

import org.jspecify.annotations.NullMarked;
