package io.godwit.conformance.target;

import io.godwit.core.store.MemoryStore;
import io.godwit.server.BrokerFixture;
import io.godwit.server.StartFailed;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;

/**
 * This project's broker in the process of the tests: one for each profile, started when asked for.
 */
final class GodwitTarget implements Target {
    private final Map<Profile, BrokerFixture> brokers = new EnumMap<>(Profile.class);

    @Override
    public InetSocketAddress tcp(Profile profile) {
        return address(profile, "mqtt");
    }

    @Override
    public InetSocketAddress webSocket(Profile profile) {
        return address(profile, "ws");
    }

    private InetSocketAddress address(Profile profile, String listener) {
        int port = broker(profile).port(listener);
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    private synchronized BrokerFixture broker(Profile profile) {
        return brokers.computeIfAbsent(profile, GodwitTarget::start);
    }

    private static BrokerFixture start(Profile profile) {
        try {
            var method = new ScriptedMethod();
            return BrokerFixture.tryStart(
                    profile == Profile.FAILING_STORE ? new FailingStore() : new MemoryStore(),
                    Map.of(method.method(), method),
                    settings(profile));
        } catch (StartFailed e) {
            throw new AssertionError(e.getMessage(), e);
        }
    }

    private static String[] settings(Profile profile) {
        return switch (profile) {
            case DEFAULT, FAILING_STORE -> new String[0];
            case RESTRICTED ->
                    new String[] {
                        "mqtt.maximum-qos=1",
                        "mqtt.maximum-packet-size=2048",
                        "mqtt.keep-alive-maximum=60",
                        "mqtt.session-expiry-maximum=120",
                        "mqtt.response-information=answers/here",
                        "mqtt.retain-available=false"
                    };
            case NO_FEATURES ->
                    new String[] {
                        "mqtt.wildcard-subscriptions=false",
                        "mqtt.shared-subscriptions=false",
                        "mqtt.subscription-identifiers=false",
                        "mqtt.topic-alias-maximum=0"
                    };
            case SMALL_WINDOWS ->
                    new String[] {"mqtt.receive-maximum=3", "mqtt.topic-alias-maximum=5"};
            case SHORT_KEEP_ALIVE -> new String[] {"mqtt.keep-alive-maximum=1"};
            case QOS_0 -> new String[] {"mqtt.maximum-qos=0"};
        };
    }

    /**
     * Long: what has to come may be late on a busy machine. What isn't to come is never waited for.
     */
    @Override
    public Duration patience() {
        return Duration.ofSeconds(30);
    }

    @Override
    public synchronized void close() {
        brokers.values().forEach(BrokerFixture::close);
    }
}
