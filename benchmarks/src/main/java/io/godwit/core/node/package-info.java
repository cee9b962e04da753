/** One node without sockets, stepped by one thread. */
@NullMarked
package io.godwit.core.node;

import org.jspecify.annotations.NullMarked;
