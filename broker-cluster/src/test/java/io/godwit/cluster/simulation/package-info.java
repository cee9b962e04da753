/** Links and membership of several nodes in one thread, on a network that fails. */
package io.godwit.cluster.simulation;
