/** Operations and their encoding. */
@NullMarked
package io.godwit.core.operation;

import org.jspecify.annotations.NullMarked;
