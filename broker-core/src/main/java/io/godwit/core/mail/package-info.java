/**
 * Mail for a session, wherever it is: forwarded by the shard that it has left, held back by the one
 * that it comes to. Start with {@code SessionMail}.
 */
@NullMarked
package io.godwit.core.mail;

import org.jspecify.annotations.NullMarked;
