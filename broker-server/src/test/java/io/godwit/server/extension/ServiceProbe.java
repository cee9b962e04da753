package io.godwit.server.extension;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.hivemq.client.mqtt.MqttClient;
import com.hivemq.client.mqtt.MqttGlobalPublishFilter;
import com.hivemq.client.mqtt.datatypes.MqttQos;
import com.hivemq.client.mqtt.mqtt5.Mqtt5BlockingClient;
import com.hivemq.client.mqtt.mqtt5.message.publish.Mqtt5Publish;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Asks the services of an extension that runs in a broker: a client publishes words, and the
 * extension publishes what has come of them.
 */
public final class ServiceProbe implements AutoCloseable {
    private final Mqtt5BlockingClient client;
    private final Mqtt5BlockingClient.Mqtt5Publishes answers;

    /** Connects to a broker with {@link #extension}. */
    public ServiceProbe(int port, String clientId) {
        client =
                MqttClient.builder()
                        .useMqttVersion5()
                        .identifier(clientId)
                        .serverHost("127.0.0.1")
                        .serverPort(port)
                        .buildBlocking();
        client.connect();
        answers = client.publishes(MqttGlobalPublishFilter.ALL);
        client.subscribeWith().topicFilter("answer/" + clientId).qos(MqttQos.AT_LEAST_ONCE).send();
    }

    /** Returns the extension that is asked. */
    public static TestExtension extension() {
        return TestExtension.starting(
                "probe",
                """
                List<String> changes = new java.util.concurrent.CopyOnWriteArrayList<>();
                class Asked {
                    final List<String> found = new ArrayList<>();

                    String members(
                            List<io.godwit.extension.service.ClusterInfo.Member> members) {
                        String text = "";
                        for (var each : members.stream().sorted(Comparator.comparing(
                                io.godwit.extension.service.ClusterInfo.Member::name)).toList()) {
                            text += each.name() + (each.isSelf() ? " self" : "")
                                    + (each.isReachable() ? " here" : " away")
                                    + (each.version().isEmpty() ? " unknown;" : ";");
                        }
                        return text;
                    }

                    java.util.concurrent.CompletionStage<String> clients(Optional<String> from) {
                        return context.clients().page(from).thenCompose(page -> {
                            page.items().forEach(each ->
                                    found.add(each.clientId() + "@" + each.node()));
                            return page.next().isPresent()
                                    ? clients(page.next())
                                    : java.util.concurrent.CompletableFuture.completedFuture(
                                            String.join(",", found));
                        });
                    }

                    java.util.concurrent.CompletionStage<String> messages(
                            String clientId, Optional<String> from) {
                        return context.queues().messages(clientId, 3, from).thenCompose(page -> {
                            page.items().forEach(each ->
                                    found.add(each.topic() + " " + each.qos() + " "
                                            + each.payloadSize() + " " + each.payload().text()));
                            return page.next().isPresent()
                                    ? messages(clientId, page.next())
                                    : java.util.concurrent.CompletableFuture.completedFuture(
                                            String.join(",", found));
                        });
                    }

                    java.util.concurrent.CompletionStage<List<String>> ids(
                            String clientId, String end, Optional<String> from) {
                        return context.queues().messages(clientId, 100, from).thenCompose(page -> {
                            page.items().forEach(each -> {
                                if (each.payload().text().endsWith(end)) {
                                    found.add(each.id());
                                }
                            });
                            return page.next().isPresent()
                                    ? ids(clientId, end, page.next())
                                    : java.util.concurrent.CompletableFuture.completedFuture(found);
                        });
                    }

                    java.util.concurrent.CompletionStage<String> subscribers(
                            String topic, Optional<String> from) {
                        return context.subscriptions().subscribers(topic, from).thenCompose(page -> {
                            page.items().forEach(each ->
                                    found.add(each.clientId() + " "
                                            + each.subscription().topicFilter() + " "
                                            + each.subscription().qos()));
                            return page.next().isPresent()
                                    ? subscribers(topic, page.next())
                                    : java.util.concurrent.CompletableFuture.completedFuture(
                                            String.join(",", found));
                        });
                    }

                    java.util.concurrent.CompletionStage<String> of(String[] words) {
                        switch (words[0]) {
                            case "find":
                                return context.clients().find(words[1]).thenApply(found ->
                                        found.map(each -> each.node() + " " + each.version() + " "
                                                + each.sessionExpirySeconds() + " "
                                                + each.subscriptions() + " "
                                                + each.connection()
                                                        .map(of -> "at " + of.node() + " "
                                                                + of.keepAliveSeconds() + " "
                                                                + of.listener())
                                                        .orElse("offline "
                                                                + each.disconnectedSince()
                                                                        .isPresent()))
                                                .orElse("none"));
                            case "all":
                                return clients(Optional.empty());
                            case "disconnect":
                                return context.clients()
                                        .disconnect(
                                                words[1],
                                                io.godwit.extension.packet.ReasonCode
                                                        .valueOf(words[2]),
                                                "because",
                                                Boolean.parseBoolean(words[3]))
                                        .thenApply(String::valueOf);
                            case "end":
                                return context.clients()
                                        .endSession(words[1])
                                        .thenApply(String::valueOf);
                            case "filters":
                                return context.subscriptions().of(words[1]).thenApply(found ->
                                        found.map(all -> all.toString()).orElse("none"));
                            case "subscribe":
                                return context.subscriptions().add(words[1], List.of(
                                                new io.godwit.extension.packet.Subscription(
                                                        words[2], Integer.parseInt(words[3]),
                                                        false, false, 0)))
                                        .thenApply(String::valueOf);
                            case "unsubscribe":
                                return context.subscriptions().remove(words[1], List.of(words[2]))
                                        .thenApply(String::valueOf);
                            case "queue":
                                return context.queues().of(words[1]).thenApply(found ->
                                        found.map(each -> each.messages() + " "
                                                + (each.bytes() > 0) + " " + each.inFlight() + " "
                                                + each.discardedFull())
                                                .orElse("none"));
                            case "messages":
                                return messages(words[1], Optional.empty());
                            case "remove":
                                return ids(words[1], words[2], Optional.empty()).thenCompose(ids ->
                                        context.queues().remove(words[1], ids)
                                                .thenApply(done -> done.removed() + " "
                                                        + done.inFlight()));
                            case "purge":
                                return context.queues().purge(words[1]).thenApply(done ->
                                        done.removed() + " " + done.inFlight());
                            case "members":
                                return java.util.concurrent.CompletableFuture.completedFuture(
                                        members(context.cluster().members()));
                            case "changes":
                                return java.util.concurrent.CompletableFuture.completedFuture(
                                        String.join(",", changes));
                            case "subscribers":
                                return subscribers(words[1], Optional.empty());
                            default:
                                throw new IllegalArgumentException(words[0]);
                        }
                    }
                }
                context.cluster().onChange(
                        members -> changes.add(new Asked().members(members)));
                context.registrations().publishInterceptor("ask", (client, publish) -> {
                    new Asked().of(publish.payload().text().split(" "))
                            .handle((answer, failure) -> {
                                Throwable cause = failure
                                        instanceof java.util.concurrent.CompletionException
                                        ? failure.getCause() : failure;
                                return context.publishes().publish(
                                        io.godwit.extension.packet.PublishPacket
                                                .to("answer/" + client.clientId())
                                                .text(cause == null ? answer
                                                        : cause instanceof io.godwit.extension.service
                                                                .ServiceFailedException failed
                                                                ? failed.reason() + " " + failed.getMessage()
                                                                : cause.toString())
                                                .build());
                            });
                    return Interception.<io.godwit.extension.packet.PublishPacket>dropped().now();
                }, OnFailure.REFUSE);
                """);
    }

    /** Asks, and returns what the extension has been answered. */
    public String ask(String words) {
        client.publishWith()
                .topic("ask")
                .qos(MqttQos.AT_LEAST_ONCE)
                .payload(words.getBytes(UTF_8))
                .send();
        try {
            Optional<Mqtt5Publish> answer = answers.receive(20, TimeUnit.SECONDS);
            return answer.map(each -> new String(each.getPayloadAsBytes(), UTF_8))
                    .orElse("no answer to " + words);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        answers.close();
        if (client.getState().isConnected()) {
            client.disconnect();
        }
    }
}
