/**
 * Shows what clients do, and what goes to them, to those who may change or stop it, before it
 * counts; holds nothing of them itself.
 */
@NullMarked
package io.godwit.core.review;

import org.jspecify.annotations.NullMarked;
