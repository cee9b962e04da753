package io.godwit.extension.setup;

import io.godwit.extension.Answer;
import io.godwit.extension.OnFailure;
import io.godwit.extension.access.AccessRules;
import io.godwit.extension.auth.PublishAuthorizer;
import io.godwit.extension.auth.SubscribeAuthorizer;
import io.godwit.extension.intercept.DeliveryInterceptor;
import io.godwit.extension.intercept.PacketInterceptor;
import io.godwit.extension.intercept.PacketPoint;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.extension.intercept.SubscribeInterceptor;
import io.godwit.extension.intercept.UnsubscribeInterceptor;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What an extension asks to be called for one client alone, and what that client may do. Of one
 * extension it comes behind what is registered for all clients. Immutable.
 */
public final class ClientSetup implements Answer<ClientSetup> {
    private static final String ALL = "#";
    private static final ClientSetup NONE = new Builder().build();

    private final List<Hook<PublishInterceptor>> publishInterceptors;
    private final List<Hook<SubscribeInterceptor>> subscribeInterceptors;
    private final List<Hook<UnsubscribeInterceptor>> unsubscribeInterceptors;
    private final List<Hook<DeliveryInterceptor>> deliveryInterceptors;
    private final List<PacketHook<?>> packetInterceptors;
    private final List<Hook<PublishAuthorizer>> publishAuthorizers;
    private final List<Hook<SubscribeAuthorizer>> subscribeAuthorizers;
    private final @Nullable AccessRules rules;

    private ClientSetup(Builder from) {
        publishInterceptors = List.copyOf(from.publishInterceptors);
        subscribeInterceptors = List.copyOf(from.subscribeInterceptors);
        unsubscribeInterceptors = List.copyOf(from.unsubscribeInterceptors);
        deliveryInterceptors = List.copyOf(from.deliveryInterceptors);
        packetInterceptors = List.copyOf(from.packetInterceptors);
        publishAuthorizers = List.copyOf(from.publishAuthorizers);
        subscribeAuthorizers = List.copyOf(from.subscribeAuthorizers);
        rules = from.rules;
    }

    /**
     * Something that is asked about packets of the client.
     *
     * @param topicFilter of the PUBLISHes that it is asked about; {@code #} for everything
     */
    public record Hook<T>(T target, String topicFilter, OnFailure onFailure) {
        public Hook {
            Objects.requireNonNull(target, "what is set up");
            Objects.requireNonNull(topicFilter, "topicFilter");
            Objects.requireNonNull(onFailure, "onFailure");
        }
    }

    /** An interceptor of the client, and the point whose packets it sees. */
    public record PacketHook<P>(PacketPoint<P> point, PacketInterceptor<P> target) {
        public PacketHook {
            Objects.requireNonNull(point, "point");
            Objects.requireNonNull(target, "what is set up");
        }
    }

    /** Begins a setup. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a setup with nothing in it. */
    public static ClientSetup none() {
        return NONE;
    }

    public List<Hook<PublishInterceptor>> publishInterceptors() {
        return publishInterceptors;
    }

    public List<Hook<SubscribeInterceptor>> subscribeInterceptors() {
        return subscribeInterceptors;
    }

    public List<Hook<UnsubscribeInterceptor>> unsubscribeInterceptors() {
        return unsubscribeInterceptors;
    }

    public List<Hook<DeliveryInterceptor>> deliveryInterceptors() {
        return deliveryInterceptors;
    }

    public List<PacketHook<?>> packetInterceptors() {
        return packetInterceptors;
    }

    public List<Hook<PublishAuthorizer>> publishAuthorizers() {
        return publishAuthorizers;
    }

    public List<Hook<SubscribeAuthorizer>> subscribeAuthorizers() {
        return subscribeAuthorizers;
    }

    /** What the client may do by default; empty: what others say. */
    public Optional<AccessRules> rules() {
        return Optional.ofNullable(rules);
    }

    /** Returns a builder with everything that this has. */
    public Builder change() {
        return new Builder(this);
    }

    /** Collects a setup. Not for several threads. */
    public static final class Builder {
        private final List<Hook<PublishInterceptor>> publishInterceptors = new ArrayList<>();
        private final List<Hook<SubscribeInterceptor>> subscribeInterceptors = new ArrayList<>();
        private final List<Hook<UnsubscribeInterceptor>> unsubscribeInterceptors =
                new ArrayList<>();
        private final List<Hook<DeliveryInterceptor>> deliveryInterceptors = new ArrayList<>();
        private final List<PacketHook<?>> packetInterceptors = new ArrayList<>();
        private final List<Hook<PublishAuthorizer>> publishAuthorizers = new ArrayList<>();
        private final List<Hook<SubscribeAuthorizer>> subscribeAuthorizers = new ArrayList<>();
        private @Nullable AccessRules rules;

        private Builder() {}

        private Builder(ClientSetup from) {
            publishInterceptors.addAll(from.publishInterceptors);
            subscribeInterceptors.addAll(from.subscribeInterceptors);
            unsubscribeInterceptors.addAll(from.unsubscribeInterceptors);
            deliveryInterceptors.addAll(from.deliveryInterceptors);
            packetInterceptors.addAll(from.packetInterceptors);
            publishAuthorizers.addAll(from.publishAuthorizers);
            subscribeAuthorizers.addAll(from.subscribeAuthorizers);
            rules = from.rules;
        }

        /**
         * Has an interceptor see the client's PUBLISHes, before they are authorized.
         *
         * @param topicFilter only PUBLISHes that match it are shown; {@code #} shows all; one that
         *     is no topic filter, or a shared one, makes the whole setup a failure
         */
        public Builder publishInterceptor(
                String topicFilter, PublishInterceptor interceptor, OnFailure onFailure) {
            publishInterceptors.add(new Hook<>(interceptor, topicFilter, onFailure));
            return this;
        }

        /** Has an interceptor see the client's SUBSCRIBEs, before they are authorized. */
        public Builder subscribeInterceptor(SubscribeInterceptor interceptor, OnFailure onFailure) {
            subscribeInterceptors.add(new Hook<>(interceptor, ALL, onFailure));
            return this;
        }

        /** Has an interceptor see the client's UNSUBSCRIBEs. */
        public Builder unsubscribeInterceptor(
                UnsubscribeInterceptor interceptor, OnFailure onFailure) {
            unsubscribeInterceptors.add(new Hook<>(interceptor, ALL, onFailure));
            return this;
        }

        /**
         * Has an interceptor see the PUBLISHes that go to the client, before they leave.
         *
         * @param topicFilter as that of {@link #publishInterceptor}
         */
        public Builder deliveryInterceptor(
                String topicFilter, DeliveryInterceptor interceptor, OnFailure onFailure) {
            deliveryInterceptors.add(new Hook<>(interceptor, topicFilter, onFailure));
            return this;
        }

        /**
         * Has an interceptor see the client's packets of a point. It is there when the client has
         * been authenticated: AUTH and a refusing CONNACK before that are not shown to it.
         */
        public <P> Builder packetInterceptor(
                PacketPoint<P> point, PacketInterceptor<P> interceptor) {
            packetInterceptors.add(new PacketHook<>(point, interceptor));
            return this;
        }

        /** Has an authorizer asked about the client's PUBLISHes and its will. */
        public Builder publishAuthorizer(PublishAuthorizer authorizer, OnFailure onFailure) {
            publishAuthorizers.add(new Hook<>(authorizer, ALL, onFailure));
            return this;
        }

        /** Has an authorizer asked about each filter of the client's SUBSCRIBEs. */
        public Builder subscribeAuthorizer(SubscribeAuthorizer authorizer, OnFailure onFailure) {
            subscribeAuthorizers.add(new Hook<>(authorizer, ALL, onFailure));
            return this;
        }

        /**
         * Says what the client may do where no authorizer decides, in place of {@code
         * security.rules}. Rules that its authenticator has granted come before; of several
         * extensions the one with the highest priority that gives rules counts.
         */
        public Builder rules(AccessRules values) {
            rules = Objects.requireNonNull(values, "rules");
            return this;
        }

        /** Leaves out an interceptor or authorizer, wherever this very object was added. */
        public Builder remove(Object target) {
            Objects.requireNonNull(target, "target");
            publishInterceptors.removeIf(each -> each.target == target);
            subscribeInterceptors.removeIf(each -> each.target == target);
            unsubscribeInterceptors.removeIf(each -> each.target == target);
            deliveryInterceptors.removeIf(each -> each.target == target);
            packetInterceptors.removeIf(each -> each.target == target);
            publishAuthorizers.removeIf(each -> each.target == target);
            subscribeAuthorizers.removeIf(each -> each.target == target);
            return this;
        }

        public ClientSetup build() {
            return new ClientSetup(this);
        }
    }
}
