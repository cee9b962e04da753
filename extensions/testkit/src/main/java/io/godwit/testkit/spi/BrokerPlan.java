package io.godwit.testkit.spi;

import io.godwit.testkit.RecordedCall;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Says which broker is to be started.
 *
 * @param folder for all of its files; those of an earlier start are used again
 * @param isOnDisk whether messages and sessions are written there, or kept in memory
 * @param port 0: a free one
 * @param extensions that run in it; it does not start without one of them
 * @param settings of the broker, by key
 * @param passedMs by how much its time is ahead of the machine's; never falls
 * @param calls takes the calls of extensions when they end, in any thread; must not block
 */
public record BrokerPlan(
        Path folder,
        boolean isOnDisk,
        int port,
        List<PlannedExtension> extensions,
        Map<String, String> settings,
        LongSupplier passedMs,
        Consumer<RecordedCall> calls) {
    public BrokerPlan {
        extensions = List.copyOf(extensions);
        settings = Map.copyOf(settings);
    }
}
