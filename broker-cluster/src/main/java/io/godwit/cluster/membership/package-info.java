/**
 * Knows who belongs to the cluster: what nodes say of themselves, who is refused and why, every
 * member that ever joined, who is live, and the order of the members for each slot.
 *
 * <p>All of it is a plain state machine on the thread of the links; others read {@code Nodes},
 * which never changes. Begin with {@code Membership}.
 */
@NullMarked
package io.godwit.cluster.membership;

import org.jspecify.annotations.NullMarked;
