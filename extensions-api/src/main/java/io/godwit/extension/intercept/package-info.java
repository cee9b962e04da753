/** Holds the places at which an extension may change or stop a packet. */
@NullMarked
package io.godwit.extension.intercept;

import org.jspecify.annotations.NullMarked;
