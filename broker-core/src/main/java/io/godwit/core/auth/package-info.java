/**
 * Who may connect and what they may do: ports for slow authenticators, and the state machine of
 * enhanced authentication. Start with {@code Authenticator}.
 */
@NullMarked
package io.godwit.core.auth;

import org.jspecify.annotations.NullMarked;
