/** A whole store in memory, as a model of what a store on disk keeps. */
@NullMarked
package io.godwit.core.store;

import org.jspecify.annotations.NullMarked;
