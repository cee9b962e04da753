/** Mutual TLS between nodes: certificates from PEM files, and who is refused by them. */
@NullMarked
package io.godwit.cluster.tls;

import org.jspecify.annotations.NullMarked;
