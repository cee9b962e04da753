@NullMarked
package io.godwit.cluster.remote;

import org.jspecify.annotations.NullMarked;
