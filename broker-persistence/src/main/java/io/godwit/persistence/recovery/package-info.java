/** What a start does: ids of this start, the journal's replay, and telling what is stored. */
@NullMarked
package io.godwit.persistence.recovery;

import org.jspecify.annotations.NullMarked;
