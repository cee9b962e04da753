/** Asks servers by HTTP who clients are and what they may do. */
@NullMarked
package io.godwit.extensions.http;

import org.jspecify.annotations.NullMarked;
