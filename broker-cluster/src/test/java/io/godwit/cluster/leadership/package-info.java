/** Tests of who leads which slot. */
@NullMarked
package io.godwit.cluster.leadership;

import org.jspecify.annotations.NullMarked;
