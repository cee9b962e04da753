package io.godwit.server.extension.call;

import io.godwit.core.auth.Authenticator;
import io.godwit.core.auth.EnhancedAuthenticator;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.Packet;
import io.godwit.core.review.ClientEvents;
import io.godwit.core.review.ConnectReviewer;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.PacketReviewer;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.SessionEvents;
import io.godwit.extension.event.ClientListener;
import io.godwit.extension.event.SessionListener;
import io.godwit.extension.intercept.PublishInterceptor;
import io.godwit.server.extension.Hook;
import io.godwit.server.extension.Registered;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the running extensions are asked and told at a moment. Immutable: when something
 * changes, another one is made.
 */
public final class ExtensionHooks {
    private final ExtensionReviewer asked;

    /** Ids of those that run, in the order in which they are asked. */
    private final List<String> order;

    private final @Nullable Reviewer reviewer;
    private final @Nullable ClientEvents events;
    private final ExtensionDeliveries deliveries;
    private final @Nullable SessionEvents sessionEvents;
    private final ConnectReviews connects;
    private final PacketReviews packets;

    /** Whether a client may have hooks of its own. */
    private final boolean mayBeSetUp;

    private final Map<String, Authenticator> authenticators = new LinkedHashMap<>();
    private final Map<String, EnhancedAuthenticator> methods = new LinkedHashMap<>();
    private final Set<String> authorizing = new HashSet<>();

    /** A running extension. */
    public record Running(Registered registered, ExtensionCalls calls) {}

    /**
     * @param running in any order; of two with the same priority the first one is asked first
     * @param order the node's
     * @param packetBytesMax {@code mqtt.maximum-packet-size}
     */
    public ExtensionHooks(List<Running> running, ReviewOrder order, int packetBytesMax) {
        this(running, order, packetBytesMax, null);
    }

    /**
     * @param running in any order; of two with the same priority the first one is asked first
     * @param order the node's
     * @param packetBytesMax {@code mqtt.maximum-packet-size}
     * @param authorizers names of those that are asked what clients may do, in this order; null:
     *     all, by priority
     */
    public ExtensionHooks(
            List<Running> running,
            ReviewOrder order,
            int packetBytesMax,
            @Nullable List<String> authorizers) {
        List<Running> byPriority = byPriority(running);
        this.order = byPriority.stream().map(each -> each.calls().id()).toList();
        ExtensionReviewer made =
                new ExtensionReviewer(
                        hooks(byPriority, Registered::publishInterceptors),
                        hooks(byPriority, Registered::publishAuthorizers),
                        hooks(byPriority, Registered::subscribeInterceptors),
                        hooks(byPriority, Registered::subscribeAuthorizers),
                        hooks(byPriority, Registered::unsubscribeInterceptors),
                        order,
                        packetBytesMax,
                        byPriority,
                        AuthorizerOrder.of(authorizers, byPriority));
        asked = made;
        mayBeSetUp = running.stream().anyMatch(each -> each.registered().knowsClients());
        reviewer = mayBeSetUp || !made.isIdle() ? made : null;
        List<ExtensionEvents.Target> targets = new ArrayList<>();
        List<ExtensionSessionEvents.Target> ofSessions = new ArrayList<>();
        for (Running each : byPriority) {
            for (ClientListener listener : each.registered().clientListeners()) {
                targets.add(new ExtensionEvents.Target(listener, each.calls().events()));
            }
            if (AuthorizerOrder.isAuthorizing(each.registered())) {
                authorizing.add(each.calls().id());
            }
            for (SessionListener listener : each.registered().sessionListeners()) {
                ofSessions.add(new ExtensionSessionEvents.Target(listener, each.calls().events()));
            }
            addAuthenticators(each);
        }
        events = targets.isEmpty() ? null : new ExtensionEvents(targets);
        sessionEvents = ofSessions.isEmpty() ? null : new ExtensionSessionEvents(ofSessions);
        HookOrder extensions = order(byPriority);
        deliveries =
                new ExtensionDeliveries(
                        hooks(byPriority, Registered::deliveryInterceptors),
                        extensions,
                        order.deliveries(),
                        packetBytesMax);
        connects = new ConnectReviews(hooks(byPriority, Registered::connectInterceptors));
        packets =
                new PacketReviews(
                        hooks(byPriority, Registered::packetInterceptors),
                        extensions,
                        packetBytesMax);
    }

    /** Returns the order of extensions that are sorted by priority. */
    static HookOrder order(List<Running> byPriority) {
        return new HookOrder(byPriority.stream().map(Running::calls).toList());
    }

    /** Returns them in the order in which they are asked. */
    static List<Running> byPriority(List<Running> running) {
        return running.stream()
                .sorted(
                        Comparator.comparingInt(
                                        (Running each) -> each.registered().extension().priority())
                                .reversed())
                .toList();
    }

    /** Stands for an extension that has Authentication Methods alone: passes all others on. */
    private record MethodsAlone(String name) implements Authenticator {
        @Override
        public void authenticate(Packet.Connect connect, Peer peer, Consumer<Verdict> verdict) {
            verdict.accept(new Verdict.PassedOn());
        }
    }

    private static <T> List<ActiveHook<T>> hooks(
            List<Running> running, Function<Registered, List<Hook<T>>> kind) {
        List<ActiveHook<T>> all = new ArrayList<>();
        for (Running each : running) {
            for (Hook<T> hook : kind.apply(each.registered())) {
                all.add(
                        new ActiveHook<>(
                                all.size(),
                                hook.target(),
                                new FilterPattern(hook.topicFilter()),
                                hook.onFailure(),
                                each.calls()));
            }
        }
        return all;
    }

    private void addAuthenticators(Running running) {
        ExtensionCalls calls = running.calls();
        io.godwit.extension.auth.Authenticator own = running.registered().authenticator();
        if (own != null) {
            authenticators.put(calls.id(), new ExtensionAuthenticator(calls, own));
        }
        running.registered()
                .methods()
                .forEach((method, target) -> {
                    // A listener that does not name the extension has no such method either.
                    authenticators.putIfAbsent(calls.id(), new MethodsAlone(calls.id()));
                    methods.put(method, new ExtensionMethod(calls, method, target));
                });
    }

    /** Returns who reviews packets; null: nobody. */
    public @Nullable Reviewer reviewer() {
        return reviewer;
    }

    /** Returns who is asked about packets, which may be nobody. */
    ExtensionReviewer asked() {
        return asked;
    }

    /**
     * Returns the interceptors that see what an extension publishes: of those that are asked after
     * it. So whatever these publish in turn is seen by fewer, and in the end by nobody.
     */
    List<ActiveHook<PublishInterceptor>> behind(String id) {
        List<String> later = order.subList(order.indexOf(id) + 1, order.size());
        return asked.publishInterceptors().stream()
                .filter(each -> later.contains(each.calls().id()))
                .toList();
    }

    /** Returns who hears what happens to clients; null: nobody. */
    public @Nullable ClientEvents events() {
        return events;
    }

    /** Returns who reviews what goes to clients; null: nobody. */
    public @Nullable DeliveryReviewer deliveries() {
        return mayBeSetUp || !deliveries.interceptors().isEmpty() ? deliveries : null;
    }

    /** Returns who is asked about what goes to clients, which may be nobody. */
    ExtensionDeliveries askedAboutDeliveries() {
        return deliveries;
    }

    /** Returns who hears what happens to sessions; null: nobody. */
    public @Nullable SessionEvents sessionEvents() {
        return sessionEvents;
    }

    /** Returns who reviews CONNECTs; null: nobody. */
    public @Nullable ConnectReviewer connects() {
        return connects.interceptors().isEmpty() ? null : connects;
    }

    /** Returns who is asked about CONNECTs, which may be nobody. */
    ConnectReviews askedAboutConnects() {
        return connects;
    }

    /** Returns who reviews packets that nobody can stop; null: nobody. */
    public @Nullable PacketReviewer packets() {
        return mayBeSetUp || !packets.interceptors().isEmpty() ? packets : null;
    }

    /** Returns who is asked about packets that nobody can stop, which may be nobody. */
    PacketReviews askedAboutPackets() {
        return packets;
    }

    /** Returns authenticators by the ids of their extensions, in the order of priority. */
    public Map<String, Authenticator> authenticators() {
        return new LinkedHashMap<>(authenticators);
    }

    /** Returns the ids of extensions that may authorize clients. */
    public Set<String> authorizing() {
        return Set.copyOf(authorizing);
    }

    /** Returns enhanced authenticators by Authentication Method. */
    public Map<String, EnhancedAuthenticator> methods() {
        return new LinkedHashMap<>(methods);
    }
}
