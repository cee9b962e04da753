/**
 * What happens before there is a broker: {@link io.godwit.server.launch.RunArguments} are read,
 * {@link io.godwit.server.launch.JvmFlags} tells the launcher how large the JVM is to be, and
 * {@link io.godwit.server.launch.Rehearsal} makes the class cache. None of it may load much: it is
 * part of every start.
 */
@NullMarked
package io.godwit.server.launch;

import org.jspecify.annotations.NullMarked;
