/** The log on standard output: one line per decision, text or JSON. Start with {@code Logs}. */
@NullMarked
package io.godwit.server.logging;

import org.jspecify.annotations.NullMarked;
