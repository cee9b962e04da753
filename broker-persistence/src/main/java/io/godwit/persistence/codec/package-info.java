/**
 * Bytes of the store: numbers, messages, sessions and rows. Numbers are big-endian where bytes must
 * sort, else varints of seven bits, least first.
 */
@NullMarked
package io.godwit.persistence.codec;

import org.jspecify.annotations.NullMarked;
