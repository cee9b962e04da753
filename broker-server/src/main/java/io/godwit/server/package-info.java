/**
 * The program: start with {@code Main}, which wires configuration, shards, listeners and the admin
 * port.
 */
@NullMarked
package io.godwit.server;

import org.jspecify.annotations.NullMarked;
