package io.godwit.server.extension;

import io.godwit.core.codec.TopicCheck;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.OnFailure;
import io.godwit.extension.Registration;
import io.godwit.extension.Registrations;
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
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Collects what one extension registers. From {@link #open} on, each change is told at once. Any
 * thread may register and withdraw.
 */
final class CollectedRegistrations implements Registrations {
    private static final String ALL = "#";

    /** Takes that something has changed; asks {@link #snapshot} for it. */
    interface Changes {
        void changed();
    }

    private enum Phase {
        STARTING,
        OPEN,
        CLOSED
    }

    private final ExtensionInfo extension;
    private final MethodOwners methodOwners;
    private final Changes changes;
    private final Map<String, EnhancedAuthenticator> methods = new LinkedHashMap<>();
    private final List<Hook<PublishAuthorizer>> publishAuthorizers = new ArrayList<>();
    private final List<Hook<SubscribeAuthorizer>> subscribeAuthorizers = new ArrayList<>();
    private final List<Hook<PublishInterceptor>> publishInterceptors = new ArrayList<>();
    private final List<Hook<SubscribeInterceptor>> subscribeInterceptors = new ArrayList<>();
    private final List<ClientListener> clientListeners = new ArrayList<>();
    private final List<Hook<DeliveryInterceptor>> deliveryInterceptors = new ArrayList<>();
    private final List<SessionListener> sessionListeners = new ArrayList<>();
    private final List<Hook<ConnectInterceptor>> connectInterceptors = new ArrayList<>();
    private final List<Hook<UnsubscribeInterceptor>> unsubscribeInterceptors = new ArrayList<>();
    private final List<Hook<PointInterceptor>> packetInterceptors = new ArrayList<>();
    private @Nullable Authenticator authenticator;
    private @Nullable ClientInitializer initializer;
    private boolean knowsClients;
    private Phase phase = Phase.STARTING;

    CollectedRegistrations(ExtensionInfo extension, MethodOwners methodOwners, Changes changes) {
        this.extension = extension;
        this.methodOwners = methodOwners;
        this.changes = changes;
    }

    /** Has further changes told: the extension has started. */
    synchronized void open() {
        phase = Phase.OPEN;
    }

    /** Withdraws everything, and takes nothing more. */
    synchronized void close() {
        phase = Phase.CLOSED;
        methods.keySet().forEach(methodOwners::release);
        methods.clear();
        authenticator = null;
        publishAuthorizers.clear();
        subscribeAuthorizers.clear();
        publishInterceptors.clear();
        subscribeInterceptors.clear();
        clientListeners.clear();
        deliveryInterceptors.clear();
        sessionListeners.clear();
        initializer = null;
        connectInterceptors.clear();
        unsubscribeInterceptors.clear();
        packetInterceptors.clear();
    }

    synchronized Registered snapshot() {
        return new Registered(
                extension,
                authenticator,
                methods,
                publishAuthorizers,
                subscribeAuthorizers,
                publishInterceptors,
                subscribeInterceptors,
                clientListeners,
                deliveryInterceptors,
                sessionListeners,
                initializer,
                knowsClients || initializer != null,
                connectInterceptors,
                unsubscribeInterceptors,
                packetInterceptors);
    }

    @Override
    public Registration authenticator(Authenticator added) {
        Objects.requireNonNull(added, "authenticator");
        return register(
                () -> {
                    if (authenticator != null) {
                        throw new IllegalStateException("there is an authenticator already");
                    }
                    authenticator = added;
                },
                () -> {
                    if (authenticator == added) {
                        authenticator = null;
                    }
                });
    }

    @Override
    public Registration enhancedAuthenticator(String method, EnhancedAuthenticator added) {
        Objects.requireNonNull(method, "method");
        Objects.requireNonNull(added, "authenticator");
        return register(
                () -> {
                    if (methods.containsKey(method)) {
                        throw new IllegalStateException(
                                "the extension itself has the Authentication Method " + method);
                    }
                    methodOwners.take(method, extension.id());
                    methods.put(method, added);
                },
                () -> {
                    if (methods.remove(method, added)) {
                        methodOwners.release(method);
                    }
                });
    }

    @Override
    public Registration publishAuthorizer(PublishAuthorizer authorizer, OnFailure onFailure) {
        return hook(publishAuthorizers, authorizer, ALL, onFailure);
    }

    @Override
    public Registration subscribeAuthorizer(SubscribeAuthorizer authorizer, OnFailure onFailure) {
        return hook(subscribeAuthorizers, authorizer, ALL, onFailure);
    }

    @Override
    public Registration publishInterceptor(
            String topicFilter, PublishInterceptor interceptor, OnFailure onFailure) {
        checkFilter(topicFilter);
        return hook(publishInterceptors, interceptor, topicFilter, onFailure);
    }

    @Override
    public Registration subscribeInterceptor(
            SubscribeInterceptor interceptor, OnFailure onFailure) {
        return hook(subscribeInterceptors, interceptor, ALL, onFailure);
    }

    @Override
    public Registration clientListener(ClientListener listener) {
        return entry(clientListeners, Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public Registration deliveryInterceptor(
            String topicFilter, DeliveryInterceptor interceptor, OnFailure onFailure) {
        checkFilter(topicFilter);
        return hook(deliveryInterceptors, interceptor, topicFilter, onFailure);
    }

    private static void checkFilter(String topicFilter) {
        if (!TopicCheck.isTopicFilter(topicFilter.getBytes(StandardCharsets.UTF_8))
                || TopicFilter.of(topicFilter).isShared()) {
            throw new IllegalArgumentException(
                    "the topic filter '" + topicFilter + "' is not one, or a shared one");
        }
    }

    @Override
    public Registration sessionListener(SessionListener listener) {
        return entry(sessionListeners, Objects.requireNonNull(listener, "listener"));
    }

    @Override
    public Registration initializer(ClientInitializer added) {
        Objects.requireNonNull(added, "initializer");
        return register(
                () -> {
                    if (initializer != null) {
                        throw new IllegalStateException("there is an initializer already");
                    }
                    initializer = added;
                },
                () -> {
                    if (initializer == added) {
                        initializer = null;
                    }
                });
    }

    /** Notes that the extension uses a service that has to know who is connected. */
    void knowsClients() {
        synchronized (this) {
            if (knowsClients || phase == Phase.CLOSED) {
                return;
            }
        }
        change(() -> knowsClients = true);
    }

    @Override
    public Registration connectInterceptor(ConnectInterceptor interceptor) {
        return hook(connectInterceptors, interceptor, ALL, OnFailure.REFUSE);
    }

    @Override
    public Registration unsubscribeInterceptor(
            UnsubscribeInterceptor interceptor, OnFailure onFailure) {
        return hook(unsubscribeInterceptors, interceptor, ALL, onFailure);
    }

    @Override
    public <P> Registration packetInterceptor(
            PacketPoint<P> point, PacketInterceptor<P> interceptor) {
        Objects.requireNonNull(point, "point");
        Objects.requireNonNull(interceptor, "what is registered");
        PointInterceptor added = new PointInterceptor(point, interceptor);
        return hook(packetInterceptors, added, ALL, added.onFailure());
    }

    private <T> Registration hook(
            List<Hook<T>> hooks, T target, String topicFilter, OnFailure onFailure) {
        Objects.requireNonNull(target, "what is registered");
        Objects.requireNonNull(onFailure, "onFailure");
        return entry(hooks, new Hook<>(target, topicFilter, onFailure));
    }

    private <E> Registration entry(List<E> entries, E added) {
        return register(() -> entries.add(added), () -> removeSame(entries, added));
    }

    /** Removes this object, not an equal one: the same target may be registered twice. */
    private static <E> void removeSame(List<E> entries, E removed) {
        for (int i = 0; i < entries.size(); i++) {
            if (entries.get(i) == removed) {
                entries.remove(i);
                return;
            }
        }
    }

    private Registration register(Step add, Step remove) {
        change(add);
        Step once = new Once(remove);
        return () -> change(once);
    }

    /** Changes are told outside of the lock: who is told asks all extensions what they have. */
    private void change(Step step) {
        boolean isTold;
        synchronized (this) {
            if (phase == Phase.CLOSED) {
                if (step instanceof Once) {
                    return; // It is withdrawn already.
                }
                throw new IllegalStateException("the extension has been stopped");
            }
            if (!step.isFirst()) {
                return;
            }
            step.run();
            isTold = phase == Phase.OPEN;
        }
        if (isTold) {
            changes.changed();
        }
    }

    /** Changes what is registered; under the lock. */
    private interface Step {
        void run();

        /** Whether it has anything to change. */
        default boolean isFirst() {
            return true;
        }
    }

    private static final class Once implements Step {
        private final Step step;
        private boolean isDone;

        Once(Step step) {
            this.step = step;
        }

        @Override
        public void run() {
            isDone = true;
            step.run();
        }

        @Override
        public boolean isFirst() {
            return !isDone;
        }
    }
}
