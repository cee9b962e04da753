/** Membership, routes, takeover, replication and reconcile. Filled by the cluster issues. */
@NullMarked
package io.godwit.cluster;

import org.jspecify.annotations.NullMarked;
