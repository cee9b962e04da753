/** What a start does: ids of this start, the journal's replay, and telling what was kept. */
@NullMarked
package io.godwit.persistence.recovery;

import org.jspecify.annotations.NullMarked;
