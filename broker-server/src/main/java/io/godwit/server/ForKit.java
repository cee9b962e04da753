package io.godwit.server;

import io.godwit.extension.Extension;
import io.godwit.server.extension.call.CallWatch;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * What a kit for tests of extensions brings along.
 *
 * @param passedMs by how much the broker's time is ahead of the machine's; never falls
 * @param mainClasses by id, of extensions whose classes are loaded already
 * @param calls is told of the calls of extensions
 */
record ForKit(
        LongSupplier passedMs,
        Map<String, Class<? extends Extension>> mainClasses,
        CallWatch calls) {
    /** Nothing: there is no kit. */
    static final ForKit NONE = new ForKit(() -> 0, Map.of(), CallWatch.NONE);

    ForKit {
        mainClasses = Map.copyOf(mainClasses);
    }
}
