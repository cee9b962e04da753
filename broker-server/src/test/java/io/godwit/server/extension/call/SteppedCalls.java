package io.godwit.server.extension.call;

import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.OnFailure;
import io.godwit.extension.auth.Authenticator;
import io.godwit.extension.auth.EnhancedAuthenticator;
import io.godwit.extension.auth.PublishAuthorizer;
import io.godwit.extension.auth.SubscribeAuthorizer;
import io.godwit.extension.event.ClientListener;
import io.godwit.extension.event.SessionListener;
import io.godwit.extension.intercept.ConnectInterceptor;
import io.godwit.extension.intercept.DeliveryInterceptor;
import io.godwit.extension.intercept.PacketInterceptor;
import io.godwit.extension.intercept.PacketPoint;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.intercept.SubscribeInterceptor;
import io.godwit.extension.intercept.UnsubscribeInterceptor;
import io.godwit.extension.setup.ClientInitializer;
import io.godwit.server.extension.Hook;
import io.godwit.server.extension.PointInterceptor;
import io.godwit.server.extension.Registered;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An extension without threads: the test runs its calls, and moves the time. */
final class SteppedCalls implements CallsOwner {
    static final Duration CALL_TIME = Duration.ofSeconds(10);

    final ExtensionCalls calls;
    final List<String> failed = new ArrayList<>();
    final List<VirtualMachineError> faults = new ArrayList<>();
    final Registering registering = new Registering();

    private final String id;
    private final Clock clock;
    private int threads = 2;

    /** CPU time of each thread that is measured. */
    long cpuNanos;

    /** The time of a test; it may begin anywhere, and wraps. */
    static final class Clock {
        long nanos = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(5);

        void passMs(long ms) {
            nanos += TimeUnit.MILLISECONDS.toNanos(ms);
        }
    }

    SteppedCalls(String id, Clock clock) {
        this(id, clock, new CallSettings(2, CALL_TIME, 100, 100_000));
    }

    SteppedCalls(String id, Clock clock, CallSettings settings) {
        this.id = id;
        this.clock = clock;
        calls =
                new ExtensionCalls(
                        id,
                        settings,
                        SteppedCalls.class.getClassLoader(),
                        this,
                        () -> clock.nanos,
                        thread -> cpuNanos,
                        made -> new Threads());
    }

    /** Runs the call that has waited longest; returns false if none waits. */
    boolean step() {
        Call<?, ?> call = calls.poll();
        if (call == null) {
            return false;
        }
        Runner runner = new Runner(calls);
        calls.onStart(runner);
        runner.run(call);
        calls.onEnd(runner);
        return true;
    }

    int runAll() {
        int count = 0;
        while (step()) {
            count++;
        }
        return count;
    }

    void passMs(long ms) {
        clock.passMs(ms);
        calls.tick();
    }

    CallsState.OfKind state(CallKind kind) {
        return calls.state().kinds().stream()
                .filter(each -> each.kind() == kind)
                .findFirst()
                .orElseThrow();
    }

    int threads() {
        return threads;
    }

    ExtensionHooks.Running running(int priority) {
        return new ExtensionHooks.Running(registering.registered(id, priority), calls);
    }

    @Override
    public void onFailed(String why) {
        failed.add(why);
    }

    @Override
    public void onFault(VirtualMachineError fault) {
        faults.add(fault);
    }

    /** Two threads, of which each may be replaced once. */
    private final class Threads implements CallThreads {
        @Override
        public @Nullable Runner own() {
            return null;
        }

        @Override
        public void wake() {}

        @Override
        public boolean replace(int stuck) {
            if (stuck > 2) {
                return false;
            }
            threads++;
            return true;
        }

        @Override
        public boolean areAllStuck(int stuck) {
            return stuck >= 2;
        }

        @Override
        public void close() {}
    }

    /** Collects what the extension has registered. */
    static final class Registering {
        @Nullable Authenticator authenticator;
        final Map<String, EnhancedAuthenticator> methods = new LinkedHashMap<>();
        final List<Hook<PublishAuthorizer>> publishAuthorizers = new ArrayList<>();
        final List<Hook<SubscribeAuthorizer>> subscribeAuthorizers = new ArrayList<>();
        final List<Hook<PublishInterceptor>> publishInterceptors = new ArrayList<>();
        final List<Hook<SubscribeInterceptor>> subscribeInterceptors = new ArrayList<>();
        final List<ClientListener> listeners = new ArrayList<>();
        final List<Hook<DeliveryInterceptor>> deliveryInterceptors = new ArrayList<>();
        final List<SessionListener> sessionListeners = new ArrayList<>();
        @Nullable ClientInitializer initializer;
        boolean knowsClients;
        final List<Hook<ConnectInterceptor>> connectInterceptors = new ArrayList<>();
        final List<Hook<UnsubscribeInterceptor>> unsubscribeInterceptors = new ArrayList<>();
        final List<Hook<PointInterceptor>> packetInterceptors = new ArrayList<>();

        Registering publishAuthorizer(PublishAuthorizer target, OnFailure onFailure) {
            publishAuthorizers.add(new Hook<>(target, "#", onFailure));
            return this;
        }

        Registering subscribeAuthorizer(SubscribeAuthorizer target, OnFailure onFailure) {
            subscribeAuthorizers.add(new Hook<>(target, "#", onFailure));
            return this;
        }

        Registering publishInterceptor(
                String filter, PublishInterceptor target, OnFailure onFailure) {
            publishInterceptors.add(new Hook<>(target, filter, onFailure));
            return this;
        }

        Registering subscribeInterceptor(SubscribeInterceptor target, OnFailure onFailure) {
            subscribeInterceptors.add(new Hook<>(target, "#", onFailure));
            return this;
        }

        Registering deliveryInterceptor(
                String filter, DeliveryInterceptor target, OnFailure onFailure) {
            deliveryInterceptors.add(new Hook<>(target, filter, onFailure));
            return this;
        }

        Registering connectInterceptor(ConnectInterceptor target) {
            connectInterceptors.add(new Hook<>(target, "#", OnFailure.REFUSE));
            return this;
        }

        Registering unsubscribeInterceptor(UnsubscribeInterceptor target, OnFailure onFailure) {
            unsubscribeInterceptors.add(new Hook<>(target, "#", onFailure));
            return this;
        }

        <P> Registering packetInterceptor(PacketPoint<P> point, PacketInterceptor<P> target) {
            boolean isAuth = point == PacketPoint.AUTH_IN || point == PacketPoint.AUTH_OUT;
            packetInterceptors.add(
                    new Hook<>(
                            new PointInterceptor(point, target),
                            "#",
                            isAuth ? OnFailure.REFUSE : OnFailure.PASS));
            return this;
        }

        Registered registered(String id, int priority) {
            return new Registered(
                    new ExtensionInfo(id, id, "1", "", priority, Path.of("/extensions", id)),
                    authenticator,
                    methods,
                    publishAuthorizers,
                    subscribeAuthorizers,
                    publishInterceptors,
                    subscribeInterceptors,
                    listeners,
                    deliveryInterceptors,
                    sessionListeners,
                    initializer,
                    knowsClients || initializer != null,
                    connectInterceptors,
                    unsubscribeInterceptors,
                    packetInterceptors);
        }
    }
}
