/** Tests of the store over memory, in one thread. */
@NullMarked
package io.godwit.persistence;

import org.jspecify.annotations.NullMarked;
