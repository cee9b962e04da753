/**
 * One client id, one connection: who has it is granted by its registrar, and its session moves to
 * whoever claims it. Start with {@code Takeover}.
 */
@NullMarked
package io.godwit.core.takeover;

import org.jspecify.annotations.NullMarked;
