package io.godwit.extensions.http;

import io.godwit.extension.ConfigurationListener;
import io.godwit.extension.ExtensionContext;
import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.HealthReport;
import io.godwit.extension.OnFailure;
import io.godwit.extension.Registration;
import io.godwit.extension.Registrations;
import io.godwit.extension.ServerInfo;
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
import io.godwit.extension.service.ClientService;
import io.godwit.extension.service.ClientSetups;
import io.godwit.extension.service.ClusterInfo;
import io.godwit.extension.service.ConnectionAttributes;
import io.godwit.extension.service.PublishService;
import io.godwit.extension.service.QueueService;
import io.godwit.extension.service.RetainedService;
import io.godwit.extension.service.SubscriptionService;
import io.godwit.extension.setup.ClientInitializer;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/** What a broker gives to the extension, as far as it uses it. */
final class FakeContext implements ExtensionContext, Registrations, HealthReport, AutoCloseable {
    private final HttpSettings settings;
    private final ScheduledExecutorService executor = Executors.newScheduledThreadPool(2);

    /** What health was said, in order. */
    final List<String> healthReports = new CopyOnWriteArrayList<>();

    @Nullable Authenticator authenticator;
    @Nullable PublishAuthorizer publishAuthorizer;
    @Nullable SubscribeAuthorizer subscribeAuthorizer;

    FakeContext(HttpSettings settings) {
        this.settings = settings;
    }

    @Override
    public void close() {
        executor.shutdownNow();
    }

    @Override
    public <C extends Record> C configuration(Class<C> type) {
        return type.cast(settings);
    }

    @Override
    public Registrations registrations() {
        return this;
    }

    @Override
    public ScheduledExecutorService executor() {
        return executor;
    }

    @Override
    public HealthReport health() {
        return this;
    }

    @Override
    public void healthy() {
        healthReports.add("healthy");
    }

    @Override
    public void degraded(String why) {
        healthReports.add("degraded: " + why);
    }

    @Override
    public void failed(String why) {
        healthReports.add("failed: " + why);
    }

    @Override
    public Registration authenticator(Authenticator registered) {
        authenticator = registered;
        return () -> {};
    }

    @Override
    public Registration publishAuthorizer(PublishAuthorizer registered, OnFailure onFailure) {
        if (onFailure != OnFailure.REFUSE) throw new AssertionError("fails open");
        publishAuthorizer = registered;
        return () -> {};
    }

    @Override
    public Registration subscribeAuthorizer(SubscribeAuthorizer registered, OnFailure onFailure) {
        if (onFailure != OnFailure.REFUSE) throw new AssertionError("fails open");
        subscribeAuthorizer = registered;
        return () -> {};
    }

    @Override
    public ExtensionInfo info() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ServerInfo server() {
        throw new UnsupportedOperationException();
    }

    @Override
    public SubscriptionService subscriptions() {
        throw new UnsupportedOperationException();
    }

    @Override
    public QueueService queues() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ClusterInfo cluster() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ClientService clients() {
        throw new UnsupportedOperationException();
    }

    @Override
    public PublishService publishes() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration enhancedAuthenticator(String method, EnhancedAuthenticator registered) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration publishInterceptor(
            String topicFilter, PublishInterceptor registered, OnFailure onFailure) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration subscribeInterceptor(SubscribeInterceptor registered, OnFailure onFailure) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration clientListener(ClientListener registered) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration deliveryInterceptor(
            String topicFilter, DeliveryInterceptor registered, OnFailure onFailure) {
        throw new UnsupportedOperationException();
    }

    @Override
    public <C extends Record> C configuration(Class<C> type, ConfigurationListener<C> listener) {
        return type.cast(settings);
    }

    @Override
    public MeterRegistry meters() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration sessionListener(SessionListener registered) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration connectInterceptor(ConnectInterceptor registered) {
        throw new UnsupportedOperationException();
    }

    @Override
    public RetainedService retained() {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration initializer(ClientInitializer registered) {
        throw new UnsupportedOperationException();
    }

    @Override
    public Registration unsubscribeInterceptor(
            UnsubscribeInterceptor registered, OnFailure onFailure) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ClientSetups setups() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ConnectionAttributes attributes() {
        throw new UnsupportedOperationException();
    }

    @Override
    public <P> Registration packetInterceptor(
            PacketPoint<P> point, PacketInterceptor<P> registered) {
        throw new UnsupportedOperationException();
    }
}
