/** Ids of section 1 of the design: message, ingress and queue ids, and the hybrid logical clock. */
@NullMarked
package io.godwit.core.id;

import org.jspecify.annotations.NullMarked;
