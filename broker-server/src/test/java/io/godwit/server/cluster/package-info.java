/** Several brokers, each a process of its own, as one cluster. */
@NullMarked
package io.godwit.server.cluster;

import org.jspecify.annotations.NullMarked;
