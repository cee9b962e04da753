package io.godwit.server.extension;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/** Metrics of the extensions as a whole. */
public final class ExtensionMeters implements MeterBinder {
    private final Extensions extensions;

    public ExtensionMeters(Extensions extensions) {
        this.extensions = extensions;
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        Gauge.builder("godwit.extensions.running", extensions, ExtensionMeters::running)
                .description("Extensions that run.")
                .register(registry);
        Gauge.builder("godwit.extensions.unhealthy", extensions, ExtensionMeters::unhealthy)
                .description(
                        "Extensions that do not start, or say that they are degraded or have"
                                + " failed.")
                .register(registry);
        FunctionCounter.builder(
                        "godwit.extension.loaders.leaked", extensions, Extensions::leakedLoaders)
                .description(
                        "Class loaders of stopped extensions that stay in memory, since something"
                                + " still refers to them.")
                .register(registry);
    }

    private static long running(Extensions all) {
        return all.states().stream().filter(ExtensionStatus::isRunning).count();
    }

    private static long unhealthy(Extensions all) {
        return all.states().stream().filter(each -> !each.isWell()).count();
    }
}
