/** Ids and the blocks in which they are reserved. */
@NullMarked
package io.godwit.core.id;

import org.jspecify.annotations.NullMarked;
