/** Holds what the broker does for an extension. */
@NullMarked
package io.godwit.extension.service;

import org.jspecify.annotations.NullMarked;
