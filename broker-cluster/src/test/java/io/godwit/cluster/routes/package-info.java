/** Tests of what nodes route by. */
@NullMarked
package io.godwit.cluster.routes;

import org.jspecify.annotations.NullMarked;
