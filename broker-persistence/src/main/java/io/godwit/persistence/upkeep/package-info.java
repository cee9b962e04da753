/** What is done beside the messages' way: flushes, room that is given back, rows that expire. */
@NullMarked
package io.godwit.persistence.upkeep;

import org.jspecify.annotations.NullMarked;
