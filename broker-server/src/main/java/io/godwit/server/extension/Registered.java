package io.godwit.server.extension;

import io.godwit.extension.ExtensionInfo;
import io.godwit.extension.auth.Authenticator;
import io.godwit.extension.auth.EnhancedAuthenticator;
import io.godwit.extension.auth.PublishAuthorizer;
import io.godwit.extension.auth.SubscribeAuthorizer;
import io.godwit.extension.event.ClientListener;
import io.godwit.extension.event.SessionListener;
import io.godwit.extension.intercept.ConnectInterceptor;
import io.godwit.extension.intercept.DeliveryInterceptor;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.intercept.SubscribeInterceptor;
import io.godwit.extension.intercept.UnsubscribeInterceptor;
import io.godwit.extension.setup.ClientInitializer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What one extension has registered at a moment.
 *
 * @param methods enhanced authenticators by Authentication Method
 * @param knowsClients whether it has to be known who is connected
 */
public record Registered(
        ExtensionInfo extension,
        @Nullable Authenticator authenticator,
        Map<String, EnhancedAuthenticator> methods,
        List<Hook<PublishAuthorizer>> publishAuthorizers,
        List<Hook<SubscribeAuthorizer>> subscribeAuthorizers,
        List<Hook<PublishInterceptor>> publishInterceptors,
        List<Hook<SubscribeInterceptor>> subscribeInterceptors,
        List<ClientListener> clientListeners,
        List<Hook<DeliveryInterceptor>> deliveryInterceptors,
        List<SessionListener> sessionListeners,
        @Nullable ClientInitializer initializer,
        boolean knowsClients,
        List<Hook<ConnectInterceptor>> connectInterceptors,
        List<Hook<UnsubscribeInterceptor>> unsubscribeInterceptors,
        List<Hook<PointInterceptor>> packetInterceptors) {
    public Registered {
        methods = Map.copyOf(methods);
        publishAuthorizers = List.copyOf(publishAuthorizers);
        subscribeAuthorizers = List.copyOf(subscribeAuthorizers);
        publishInterceptors = List.copyOf(publishInterceptors);
        subscribeInterceptors = List.copyOf(subscribeInterceptors);
        clientListeners = List.copyOf(clientListeners);
        deliveryInterceptors = List.copyOf(deliveryInterceptors);
        sessionListeners = List.copyOf(sessionListeners);
        connectInterceptors = List.copyOf(connectInterceptors);
        unsubscribeInterceptors = List.copyOf(unsubscribeInterceptors);
        packetInterceptors = List.copyOf(packetInterceptors);
    }
}
