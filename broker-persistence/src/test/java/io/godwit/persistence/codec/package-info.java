/** Tests of the rows' bytes. */
@NullMarked
package io.godwit.persistence.codec;

import org.jspecify.annotations.NullMarked;
