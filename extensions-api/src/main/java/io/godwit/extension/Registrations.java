package io.godwit.extension;

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

/**
 * Takes what an extension is to be asked and told. What is registered in {@link Extension#start}
 * counts when that has returned, later at once. Of several extensions the one with the higher
 * priority is asked first; of one extension what was registered first.
 */
public interface Registrations {
    /**
     * Has an authenticator asked about each CONNECT in its turn; an extension has one at most, and
     * {@code security.authenticators} names it by the extension's id.
     *
     * @throws IllegalStateException there is one already
     */
    Registration authenticator(Authenticator authenticator);

    /**
     * Has an authenticator asked about the CONNECTs that name its method.
     *
     * @param method Authentication Method; another extension must not have it
     * @throws IllegalStateException the method is taken
     */
    Registration enhancedAuthenticator(String method, EnhancedAuthenticator authenticator);

    /** Has an authorizer asked about each PUBLISH and each will. */
    Registration publishAuthorizer(PublishAuthorizer authorizer, OnFailure onFailure);

    /** Has an authorizer asked about each filter of a SUBSCRIBE. */
    Registration subscribeAuthorizer(SubscribeAuthorizer authorizer, OnFailure onFailure);

    /**
     * Has an interceptor see the PUBLISHes of clients, before they are authorized.
     *
     * @param topicFilter only PUBLISHes that match it are shown; {@code #} shows all, those whose
     *     topic begins with {@code $}, too
     * @throws IllegalArgumentException the filter is not one, or a shared one
     */
    Registration publishInterceptor(
            String topicFilter, PublishInterceptor interceptor, OnFailure onFailure);

    /** Has an interceptor see the SUBSCRIBEs of clients, before they are authorized. */
    Registration subscribeInterceptor(SubscribeInterceptor interceptor, OnFailure onFailure);

    /** Has a listener told what happens to clients. */
    Registration clientListener(ClientListener listener);

    /**
     * Has an interceptor see the PUBLISHes that go to clients, before they leave. While it has not
     * answered about one, nothing behind that leaves for the same client. When a call fails, or
     * can't begin, a message of QoS 0 is dropped; one of QoS 1 or 2 is shown again after a pause of
     * 1 s, 2 s, 4 s and so on, and dropped after five calls that have failed.
     *
     * @param topicFilter only PUBLISHes that match it are shown; {@code #} shows all, those whose
     *     topic begins with {@code $}, too
     * @throws IllegalArgumentException the filter is not one, or a shared one
     */
    Registration deliveryInterceptor(
            String topicFilter, DeliveryInterceptor interceptor, OnFailure onFailure);

    /** Has a listener told what happens to sessions. */
    Registration sessionListener(SessionListener listener);

    /**
     * Has an initializer set up each client; an extension has one at most.
     *
     * @throws IllegalStateException there is one already
     */
    Registration initializer(ClientInitializer initializer);

    /** Has an interceptor see each CONNECT, before authenticators are asked about it. */
    Registration connectInterceptor(ConnectInterceptor interceptor);

    /** Has an interceptor see the UNSUBSCRIBEs of clients. */
    Registration unsubscribeInterceptor(UnsubscribeInterceptor interceptor, OnFailure onFailure);

    /** Has an interceptor see the packets of a point. */
    <P> Registration packetInterceptor(PacketPoint<P> point, PacketInterceptor<P> interceptor);
}
