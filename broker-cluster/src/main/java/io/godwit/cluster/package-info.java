/**
 * Many nodes as one broker: what its rooms share. Begin with {@code transport.PeerLink} for what
 * goes between two nodes, and with {@code membership.Membership} for who belongs together.
 */
@NullMarked
package io.godwit.cluster;

import org.jspecify.annotations.NullMarked;
