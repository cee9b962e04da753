/**
 * Ack points: when a PUBLISH is taken in by everyone it goes to, so that PUBACK or PUBREC may
 * leave. Start with {@code Receipt}.
 */
@NullMarked
package io.godwit.core.ack;

import org.jspecify.annotations.NullMarked;
