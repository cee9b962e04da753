/** What the kit asks of the broker. Not for tests. */
@NullMarked
package io.godwit.testkit.spi;

import org.jspecify.annotations.NullMarked;
