/**
 * Calls extensions: in threads of their own, in bounds of number, bytes and time, and behind a
 * breaker. {@link io.godwit.server.extension.call.ExtensionCalls} is one running extension; {@link
 * io.godwit.server.extension.call.ExtensionHooks} is what all of them are asked and told.
 */
@NullMarked
package io.godwit.server.extension.call;

import org.jspecify.annotations.NullMarked;
