/** Holds the questions who a client is and what it may do, and their answers. */
@NullMarked
package io.godwit.extension.auth;

import org.jspecify.annotations.NullMarked;
