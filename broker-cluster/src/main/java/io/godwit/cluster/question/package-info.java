/**
 * Questions between nodes: what one node has to know of another one's sessions, or has to have done
 * with them. Each has one answer or a failure, within bounds of number, bytes and time.
 */
@NullMarked
package io.godwit.cluster.question;

import org.jspecify.annotations.NullMarked;
