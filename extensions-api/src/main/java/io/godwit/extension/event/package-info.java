/** Tells extensions what has happened to clients. */
@NullMarked
package io.godwit.extension.event;

import org.jspecify.annotations.NullMarked;
