/**
 * One client id, one connection: its registrar grants it, and its session moves to whoever claims
 * it. Start with {@code Takeover}.
 */
@NullMarked
package io.godwit.core.takeover;

import org.jspecify.annotations.NullMarked;
