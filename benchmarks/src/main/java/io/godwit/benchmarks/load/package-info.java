/**
 * The load program and the scenario runner: whole brokers as processes, compared in rounds that
 * alternate. Start reading at {@link io.godwit.benchmarks.load.Compare}; {@link
 * io.godwit.benchmarks.load.LoadLoop} is the load itself. It has an MQTT 3.1.1 codec of its own of
 * a few lines, so that a mistake in the broker's codec can't hide here.
 */
@NullMarked
package io.godwit.benchmarks.load;

import org.jspecify.annotations.NullMarked;
