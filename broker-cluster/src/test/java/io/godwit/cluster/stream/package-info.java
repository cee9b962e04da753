/** Tests of streams between two nodes. */
@NullMarked
package io.godwit.cluster.stream;

import org.jspecify.annotations.NullMarked;
