/**
 * Retained messages on every node: a node that comes back gets what it missed. Begin with {@code
 * RetainedSync}.
 */
@NullMarked
package io.godwit.cluster.retained;

import org.jspecify.annotations.NullMarked;
