package io.godwit.server.listener;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;

/** Metrics of the certificates of listeners, which may not be bound yet when they are asked for. */
public final class TlsMeters implements MeterBinder {
    private final Listeners listeners;
    private final List<String> names;

    /**
     * @param names of the encrypted listeners
     */
    public TlsMeters(Listeners listeners, List<String> names) {
        this.listeners = listeners;
        this.names = List.copyOf(names);
    }

    @Override
    public void bindTo(MeterRegistry registry) {
        for (String name : names) {
            Gauge.builder(
                            "godwit.tls.certificate.expiry.seconds",
                            listeners,
                            all -> all.certificateExpirySeconds(name))
                    .description(
                            "Seconds until the first of the listener's certificates expires;"
                                    + " negative after that.")
                    .tag("listener", name)
                    .register(registry);
            FunctionCounter.builder(
                            "godwit.tls.reload.failures",
                            listeners,
                            all -> all.tlsReloadFailures(name))
                    .description(
                            "Times that changed files of TLS were not used because of a mistake in"
                                    + " them; counted at each look.")
                    .tag("listener", name)
                    .register(registry);
        }
    }
}
