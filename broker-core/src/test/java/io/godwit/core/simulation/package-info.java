/**
 * A broker in one thread, from one seed: virtual clock, scripted shards, wires and store, clients
 * of every protocol version, and a checker of what was promised. Start with {@code Simulation}.
 */
package io.godwit.core.simulation;
