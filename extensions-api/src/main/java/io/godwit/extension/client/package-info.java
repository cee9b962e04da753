/** Describes connected clients. */
@NullMarked
package io.godwit.extension.client;

import org.jspecify.annotations.NullMarked;
