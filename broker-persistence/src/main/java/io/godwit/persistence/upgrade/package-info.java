/**
 * Brings a store of format 1 forward: nothing else knows that format. Start with {@code
 * StoreUpgrade}.
 *
 * <p>Format 1 named messages by the clock alone, had one queue for each shared group, and its
 * journal's records were plain lists of operations: an ordinal, then fields, with queue and message
 * ids as differences to the last one in the record.
 */
@NullMarked
package io.godwit.persistence.upgrade;

import org.jspecify.annotations.NullMarked;
