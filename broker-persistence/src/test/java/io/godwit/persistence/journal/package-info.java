/** Tests of the journal's bytes. */
@NullMarked
package io.godwit.persistence.journal;

import org.jspecify.annotations.NullMarked;
