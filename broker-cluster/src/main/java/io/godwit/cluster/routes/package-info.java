/**
 * Which node has somebody with which filter: told to all, kept the same by digests. Begin with
 * {@code NodeRoutes}.
 */
@NullMarked
package io.godwit.cluster.routes;

import org.jspecify.annotations.NullMarked;
