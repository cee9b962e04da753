/**
 * The journal's window: {@code Window} holds commits in memory for a while and has rows made of
 * what is still there when they leave; {@code PartOps} makes operations of parts as they stand in
 * the journal. Runs on the row worker.
 */
@NullMarked
package io.godwit.persistence.window;

import org.jspecify.annotations.NullMarked;
