/** What may use what, as a test. A new package needs a line in {@code Allowed}. */
@NullMarked
package io.godwit.architecture;

import org.jspecify.annotations.NullMarked;
