/** The words for failures of the machine, for all modules. Start with {@code FileCauses}. */
@NullMarked
package io.godwit.core.failure;

import org.jspecify.annotations.NullMarked;
