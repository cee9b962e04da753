/** Tests of extensions with a broker. Begin with {@link io.godwit.testkit.GodwitKit}. */
@NullMarked
package io.godwit.testkit;

import org.jspecify.annotations.NullMarked;
