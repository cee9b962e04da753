/**
 * What broken, greedy and hostile clients do. In each test the broker stays up, its memory stays
 * bounded, a {@code Canary} goes on, and the counters tell what happened. {@code Swarm} is
 * thousands of connections; {@code RawClient} is one, byte by byte; {@code Bytes} are the packets.
 */
@NullMarked
package io.godwit.badinput;

import org.jspecify.annotations.NullMarked;
