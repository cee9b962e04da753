/**
 * Users with passwords, tokens and SCRAM, of one text file: the file, its hashes, the threads that
 * compute them, and what slows down who guesses. Start with {@code Users}.
 */
@NullMarked
package io.godwit.server.security.users;

import org.jspecify.annotations.NullMarked;
