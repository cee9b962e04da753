package io.godwit.server.service;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.godwit.core.codec.TopicCheck;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.packet.Subscription;
import io.godwit.extension.service.Page;
import io.godwit.extension.service.SubscriptionService;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Serves one extension that asks about subscriptions. */
public final class ExtensionSubscriptions implements SubscriptionService {
    private static final int FILTERS_MAX = 100;
    private static final int TEXT_BYTES_MAX = 65_535;

    private final ServiceCalls calls;
    private final Sessions sessions;

    public ExtensionSubscriptions(ServiceCalls calls, Sessions sessions) {
        this.calls = calls;
        this.sessions = sessions;
    }

    @Override
    public CompletionStage<Optional<List<Subscription>>> of(String clientId) {
        return calls.call(
                () -> readFrom(ExtensionClients.clientId(clientId), null, new ArrayList<>()));
    }

    /** Asks until all are read: one answer has no more than a page. */
    private CompletableFuture<Optional<List<Subscription>>> readFrom(
            ClientId clientId, @Nullable TopicFilter after, List<Subscription> found) {
        return sessions.ofClient(new SessionQuestion.Subscriptions(clientId, after))
                .thenCompose(answer -> {
                    if (answer.isEmpty()) {
                        return CompletableFuture.completedFuture(Optional.empty());
                    }
                    ByteReader from = answer.get().body();
                    boolean isEnd = from.u8() == 1;
                    Packet.Subscription last = null;
                    while (!from.isAtEnd()) {
                        last = SubscriptionCodec.read(from);
                        found.add(shown(last));
                    }
                    return isEnd || last == null
                            ? CompletableFuture.completedFuture(Optional.of(found))
                            : readFrom(clientId, last.filter(), found);
                });
    }

    private static Subscription shown(Packet.Subscription of) {
        return new Subscription(
                of.filter().toString(),
                of.qos(),
                of.noLocal(),
                of.retainAsPublished(),
                of.retainHandling());
    }

    @Override
    public CompletionStage<List<Integer>> add(String clientId, List<Subscription> subscriptions) {
        return calls.call(() -> {
            checkCount(subscriptions.size());
            List<Packet.Subscription> asked = new ArrayList<>();
            for (Subscription each : subscriptions) {
                TopicFilter filter = filter(each.topicFilter());
                if (each.noLocal() && filter.isShared()) {
                    throw new IllegalArgumentException(
                            "a shared subscription has no No Local: " + filter);
                }
                asked.add(
                        new Packet.Subscription(
                                filter,
                                each.qos(),
                                each.noLocal(),
                                each.retainAsPublished(),
                                each.retainHandling()));
            }
            return codes(new SessionQuestion.Subscribe(ExtensionClients.clientId(clientId), asked));
        });
    }

    @Override
    public CompletionStage<List<Integer>> remove(String clientId, List<String> topicFilters) {
        return calls.call(() -> {
            checkCount(topicFilters.size());
            List<TopicFilter> filters =
                    topicFilters.stream().map(ExtensionSubscriptions::filter).toList();
            return codes(
                    new SessionQuestion.Unsubscribe(ExtensionClients.clientId(clientId), filters));
        });
    }

    private static void checkCount(int count) {
        if (count < 1 || count > FILTERS_MAX) {
            throw new IllegalArgumentException(count + " filters; allowed are 1 to " + FILTERS_MAX);
        }
    }

    private static TopicFilter filter(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        if (bytes.length > TEXT_BYTES_MAX || !TopicCheck.isTopicFilter(bytes)) {
            throw new IllegalArgumentException("no topic filter: " + text);
        }
        return new TopicFilter(bytes);
    }

    private CompletableFuture<List<Integer>> codes(SessionQuestion.OfClient question) {
        return sessions.ofClient(question)
                .thenApply(found -> {
                    ByteReader from =
                            found.orElseThrow(() ->
                                            new IllegalArgumentException(
                                                    "there is no session with the client id "
                                                            + question.clientId()))
                                    .body();
                    List<Integer> codes = new ArrayList<>();
                    while (!from.isAtEnd()) {
                        codes.add(from.u8());
                    }
                    return codes;
                });
    }

    @Override
    public CompletionStage<Page<Subscriber>> subscribers(String topic, Optional<String> from) {
        return calls.call(() -> {
            byte[] bytes = topic.getBytes(UTF_8);
            if (bytes.length > TEXT_BYTES_MAX || !TopicCheck.isTopicName(bytes)) {
                throw new IllegalArgumentException("no topic: " + topic);
            }
            return sessions.page(
                    PagePlace.of(from),
                    after -> new SessionQuestion.Subscribers(new Topic(bytes), after),
                    (body, server) ->
                            new Subscriber(
                                    ClientInfoCodec.text(body),
                                    shown(SubscriptionCodec.read(body))));
        });
    }
}
