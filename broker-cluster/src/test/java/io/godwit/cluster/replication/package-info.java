@NullMarked
package io.godwit.cluster.replication;

import org.jspecify.annotations.NullMarked;
