/**
 * TLS from PEM files, and sentences for what is wrong with them. Start with {@code ListenerTls}.
 */
@NullMarked
package io.godwit.server.tls;

import org.jspecify.annotations.NullMarked;
