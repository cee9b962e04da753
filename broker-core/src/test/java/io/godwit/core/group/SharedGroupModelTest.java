package io.godwit.core.group;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.queue.PartEntry;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TestMessage;
import io.godwit.core.routing.TestSession;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random members, messages, losses and acknowledgements: nothing is lost, nothing doubled but what
 * a lost member had, nobody gets more than its credit, and the order is kept.
 */
class SharedGroupModelTest extends GroupFixture {
    private static final int MEMBERS = 6;
    private static final int TOPICS = 12;
    private static final int WAITING_MAX = 10;
    private static final String FILTER = "$share/g/#";

    /** A member as the test sees it. */
    private static final class Client {
        final TestSession session;
        final int qos;
        boolean subscribed;
        boolean online;
        int creditGiven;
        final TreeMap<Long, Integer> inFlight = new TreeMap<>();

        /** Holds the entries in flight that are in the member's own queue. */
        final Set<Long> appended = new HashSet<>();

        Client(TestSession session, int qos) {
            this.session = session;
            this.qos = qos;
        }
    }

    private final Map<String, Client> clients = new HashMap<>();
    private final Map<Integer, Integer> sentTimes = new HashMap<>();
    private final Set<Integer> mayRepeat = new HashSet<>();
    private final Set<Integer> done = new HashSet<>();
    private final Set<Integer> open = new HashSet<>();
    private final Map<Integer, Integer> lastOfTopic = new HashMap<>();
    private final Map<Metric, Integer> causes = new EnumMap<>(Metric.class);
    private int lastFirstSent;
    private int published;
    private int generation;
    private int repeated;
    private SharedStrategy strategy = SharedStrategy.ROUND_ROBIN;

    /** Sent at QoS 2 in this step: their members get packet ids for them. */
    private final Map<PartEntry, Client> toMark = new LinkedHashMap<>();

    SharedGroupModelTest() {
        super(WAITING_MAX);
    }

    @Override
    void onDeliver(Subscription to, int at, long id, Message m, int qos) {
        onDeliver(
                Objects.requireNonNull(clients.get(to.session.clientId().toString())),
                to,
                id,
                m,
                qos);
    }

    @Override
    void onDiscarded(Message m, Metric cause) {
        causes.merge(cause, 1, Integer::sum);
        if (m.qos > 0) {
            int number = number(m);
            assertThat(open.remove(number)).as("discarded once").isTrue();
            assertThat(m.isExpired(nowMs) || cause != Metric.DROPPED_EXPIRED).isTrue();
        }
    }

    private void markAll(SharedGroup group, SplittableRandom random) {
        while (!toMark.isEmpty()) {
            Map<PartEntry, Client> all = new LinkedHashMap<>(toMark);
            toMark.clear();
            all.forEach((entry, client) -> {
                if (!client.session.isDurable()) {
                    mark(group, client.session, entry, 1);
                } else if (random.nextInt(8) > 0) {
                    group.appended(handedOver(entry.messageId), nowMs);
                    client.appended.add(entry.messageId);
                } else {
                    mayRepeat.add(client.inFlight.remove(entry.messageId));
                    group.notAppended(handedOver(entry.messageId), nowMs);
                }
            });
        }
    }

    /** The client is done with what it has; a queue of its own may have it, and not the group. */
    private void done(SharedGroup group, Client client, long id) {
        if (client.appended.remove(id)) {
            group.handedOverLeft(handedOver(id), nowMs);
        } else {
            group.acked(client.session, entry(id), nowMs);
        }
    }

    @ParameterizedTest
    @EnumSource(SharedStrategy.class)
    void messages_are_delivered_or_counted(SharedStrategy chosen) {
        strategy = chosen;
        for (int seed = 0; seed < 20; seed++) {
            run(new SplittableRandom(seed * 31L + chosen.ordinal()));
        }
        assertThat(repeated).as("some were sent again").isGreaterThan(20);
        assertThat(causes.keySet())
                .contains(
                        Metric.DROPPED_EXPIRED,
                        Metric.DROPPED_GROUP_FULL,
                        Metric.DROPPED_SESSION_GONE,
                        Metric.DROPPED_QOS0_OFFLINE);
    }

    private void run(SplittableRandom random) {
        SharedGroup group = newGroup(FILTER, strategy, random.split());
        clients.clear();
        lastOfTopic.clear();
        lastFirstSent = 0;
        for (int i = 0; i < MEMBERS; i++) {
            renew("c" + i, random);
        }
        for (int step = 0; step < 2_000; step++) {
            step(group, random);
            markAll(group, random);
            check(group);
        }
        finish(group, random);
    }

    private void renew(String clientId, SplittableRandom random) {
        int qos = random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(2);
        boolean durable = random.nextInt(3) > 0;
        clients.put(clientId, new Client(new TestSession(clientId, ++generation, durable), qos));
    }

    private void step(SharedGroup group, SplittableRandom random) {
        Client client = Objects.requireNonNull(clients.get("c" + random.nextInt(MEMBERS)));
        switch (random.nextInt(16)) {
            case 0 -> {
                if (!client.subscribed) {
                    client.subscribed = true;
                    client.online = random.nextBoolean();
                    client.creditGiven = random.nextInt(5);
                    Subscription s = client.session.to(FILTER, client.qos);
                    group.join(s, client.online, client.creditGiven, 1, Integer.MAX_VALUE, nowMs);
                }
            }
            case 1 -> {
                if (client.subscribed && client.online) {
                    goOffline(group, client);
                }
            }
            case 2, 3 -> {
                if (client.subscribed && !client.online) {
                    client.online = true;
                    int credit = random.nextInt(5);
                    client.creditGiven = credit + client.inFlight.size();
                    group.online(client.session, credit, 1, Integer.MAX_VALUE, nowMs);
                }
            }
            case 4 -> {
                if (client.subscribed && random.nextInt(6) == 0) {
                    String clientId = client.session.clientId().toString();
                    client.inFlight.forEach((id, n) -> repeatIfQos1(client, id));
                    client.appended.forEach(id -> open.remove(client.inFlight.get(id)));
                    renew(clientId, random);
                    group.gone(client.session, nowMs);
                }
            }
            case 5, 6, 7, 8, 9 -> publish(group, random);
            default -> {
                if (client.online && !client.inFlight.isEmpty()) {
                    long id =
                            random.nextInt(4) > 0
                                    ? client.inFlight.firstKey()
                                    : client.inFlight.lastKey();
                    int number = Math.abs(Objects.requireNonNull(client.inFlight.remove(id)));
                    assertThat(open.remove(number)).as("acknowledged once").isTrue();
                    done.add(number);
                    done(group, client, id);
                }
            }
        }
        if (random.nextInt(4) == 0) {
            nowMs++;
        }
    }

    private void goOffline(SharedGroup group, Client client) {
        client.online = false;
        client.inFlight.forEach((id, n) -> repeatIfQos1(client, id));
        client.inFlight.values().removeIf(n -> n < 0);
        group.offline(client.session, nowMs);
    }

    private final Map<Long, Integer> qosOfEntry = new HashMap<>();

    private void repeatIfQos1(Client client, long id) {
        if (Objects.requireNonNull(qosOfEntry.get(id)) == 1) {
            mayRepeat.add(client.inFlight.get(id));
            client.inFlight.put(id, -1);
        }
    }

    private void publish(SharedGroup group, SplittableRandom random) {
        int topic = random.nextInt(TOPICS);
        int qos = random.nextInt(3);
        long expires = random.nextInt(3) == 0 ? nowMs + random.nextInt(30) : Message.NEVER;
        int number = ++published;
        if (qos > 0) {
            open.add(number);
        }
        ClientId publisher = ClientId.of("p" + topic);
        group.publish(
                TestMessage.of("t/" + topic, "" + number, qos, expires, publisher, number),
                null,
                nowMs);
    }

    private void onDeliver(Client client, Subscription to, long id, Message m, int qos) {
        assertThat(client.session).isSameAs(to.session);
        assertThat(client.online && client.subscribed).isTrue();
        assertThat(qos).isEqualTo(Math.min(m.qos, client.qos));
        assertThat(m.isExpired(nowMs)).isFalse();
        int number = number(m);
        if (m.qos > 0) {
            onReliable(client, id, m, qos, number);
        } else {
            assertThat(id).isZero();
        }
    }

    private void onReliable(Client client, long id, Message m, int qos, int number) {
        assertThat(open).as("neither acknowledged nor discarded").contains(number);
        boolean again = sentTimes.merge(number, 1, Integer::sum) > 1;
        if (again) {
            assertThat(mayRepeat.remove(number)).as("%s doubled", number).isTrue();
            repeated++;
        } else {
            int topic = Integer.parseInt(m.topic.toString().substring(2));
            int before = lastOfTopic.getOrDefault(topic, 0);
            assertThat(number).as("order of topic and publisher").isGreaterThan(before);
            lastOfTopic.put(topic, number);
            if (strategy != SharedStrategy.HASH_CLIENT && strategy != SharedStrategy.HASH_TOPIC) {
                assertThat(number).as("order of all").isGreaterThan(lastFirstSent);
                lastFirstSent = number;
            }
        }
        if (qos == 0) {
            assertThat(id).isZero();
            open.remove(number);
            return;
        }
        assertThat(id).isPositive();
        qosOfEntry.put(id, qos);
        if (qos == 2) {
            toMark.put(entries.get(id), client);
        }
        assertThat(client.inFlight.put(id, number)).isNull();
        assertThat(client.inFlight).hasSizeLessThanOrEqualTo(client.creditGiven);
    }

    private void check(SharedGroup group) {
        List<Client> subscribed = clients.values().stream().filter(c -> c.subscribed).toList();
        int inFlight = subscribed.stream().mapToInt(c -> c.inFlight.size()).sum();
        int appended = subscribed.stream().mapToInt(c -> c.appended.size()).sum();
        assertThat(group.inFlight()).isEqualTo(inFlight - appended);
        assertThat(group.members()).isEqualTo(subscribed.size());
        assertThat(group.isDurable())
                .isEqualTo(subscribed.stream().anyMatch(c -> c.session.isDurable()));
        assertThat(open).hasSize(inFlight + (int) group.waitingMessages());
        assertThat(group.needsWork()).isFalse();
        if (group.waitingMessages() > 0
                && strategy != SharedStrategy.HASH_CLIENT
                && strategy != SharedStrategy.HASH_TOPIC) {
            assertThat(subscribed)
                    .as("messages wait only when nobody has credit")
                    .noneMatch(c -> c.online && (c.qos == 0 || c.inFlight.size() < c.creditGiven));
        }
    }

    /** All come online and acknowledge what they get: nothing may be left. */
    private void finish(SharedGroup group, SplittableRandom random) {
        for (Client client : new ArrayList<>(clients.values())) {
            if (!client.subscribed) {
                client.subscribed = true;
                client.creditGiven = 0;
                group.join(
                        client.session.to(FILTER, client.qos),
                        false,
                        0,
                        1,
                        Integer.MAX_VALUE,
                        nowMs);
            }
            if (client.online) {
                goOffline(group, client);
            }
            client.online = true;
            client.creditGiven = 3 + client.inFlight.size();
            group.online(client.session, 3, 1, Integer.MAX_VALUE, nowMs);
            markAll(group, random);
        }
        for (int round = 0; !open.isEmpty() && round < 10_000; round++) {
            Client client = Objects.requireNonNull(clients.get("c" + random.nextInt(MEMBERS)));
            if (!client.inFlight.isEmpty()) {
                long id = client.inFlight.firstKey();
                int number = Objects.requireNonNull(client.inFlight.remove(id));
                assertThat(open.remove(number)).isTrue();
                done(group, client, id);
                markAll(group, random);
            }
        }
        assertThat(open).isEmpty();
        assertThat(group.waitingMessages()).isZero();
        assertThat(group.inFlight()).isZero();
    }

    private static int number(Message m) {
        return Integer.parseInt(TestMessage.text(m));
    }
}
