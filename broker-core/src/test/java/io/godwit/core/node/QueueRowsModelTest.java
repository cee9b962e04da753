package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Topic;
import io.godwit.core.queue.QueueDrops;
import io.godwit.core.queue.QueueEntry;
import io.godwit.core.queue.WaitingPage;
import io.godwit.core.session.Session;
import io.godwit.core.session.SessionInfo;
import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A durable queue under whatever order of windows, late and failing pages, lost connections and
 * moves between shards a seed brings: what a connection gets for the first time is in order, and
 * only what a limit, an expiry or a removal took is missing at the end.
 */
class QueueRowsModelTest {
    private static final int SEEDS = 300;
    private static final int STEPS = 250;
    private static final int LIMIT = 40;
    private static final int PAGE = 5;

    @ParameterizedTest
    @EnumSource
    void everything_comes_in_order_and_nothing_twice_once_acknowledged(QueuePolicy policy) {
        seeds(policy, false);
    }

    @ParameterizedTest
    @EnumSource
    void so_it_is_with_a_predecessor(QueuePolicy policy) {
        seeds(policy, true);
    }

    private static void seeds(QueuePolicy policy, boolean isPreceded) {
        for (long seed = 1; seed <= SEEDS; seed++) {
            try {
                new Run(seed, policy, isPreceded).run();
            } catch (AssertionError | RuntimeException failure) {
                throw new AssertionError("seed " + seed, failure);
            }
        }
    }

    private static final class Run {
        /** Queue id of the predecessor. */
        private static final long BEFORE = 999;

        private final SplittableRandom random;
        private final boolean isPreceded;
        private final RowStore store = new RowStore();
        private final TestNode node;
        private final TestClient publisher;
        private final boolean limited;
        private @Nullable TestClient client;
        private int looked;
        private final List<Packet.Publish> unacknowledged = new ArrayList<>();
        private final List<Integer> released = new ArrayList<>();
        private final Set<Integer> acknowledged = new LinkedHashSet<>();
        private final Set<Integer> seen = new TreeSet<>();
        private final Set<Integer> expired = new TreeSet<>();
        private final Map<Integer, Integer> sentAs = new HashMap<>();

        /** By QoS: order is promised for each. */
        private final Map<Integer, Integer> lastOf = new HashMap<>();

        private final List<Asked> removals = new ArrayList<>();

        /** Removed before they were seen: nobody may see them. */
        private final Set<Integer> gone = new TreeSet<>();

        private long removed;

        private int published;

        /** A removal that is under way, of these messages. */
        private record Asked(
                Set<Integer> numbers, CompletableFuture<Optional<QueueDirectory.Removed>> answer) {}

        Run(long seed, QueuePolicy policy, boolean isPreceded) {
            this.isPreceded = isPreceded;
            random = new SplittableRandom(seed);
            limited = random.nextBoolean();
            node =
                    new TestNode(
                            3,
                            MqttSettings.DEFAULTS,
                            LimitSettings.DEFAULTS,
                            new QueueSettings(
                                    limited ? LIMIT : 100_000,
                                    1 << 30,
                                    policy,
                                    100_000,
                                    1 << 30,
                                    PAGE),
                            OverloadSettings.DEFAULTS,
                            store);
            publisher = node.client(0, "p");
        }

        void run() {
            connect();
            Objects.requireNonNull(client).subscribe(1, 2, "t");
            node.settle();
            if (isPreceded) {
                client.cut();
                client = null;
                node.settle();
                precede();
            }
            store.holdReads();
            for (int i = 0; i < STEPS; i++) {
                step();
                node.settle();
                look();
                lookAtRemovals();
                checkBounds();
            }
            drain();
        }

        /** The first messages are rows of another queue, and some of them in flight. */
        private void precede() {
            int count = 1 + random.nextInt(30);
            int sent = random.nextInt(Math.min(count, 6));
            for (int number = 1; number <= count; number++) {
                int qos = 1 + random.nextInt(2);
                int packetId = number <= sent ? 100 + number : 0;
                Message message =
                        new Message(
                                Topic.of("t"),
                                ("" + number).getBytes(StandardCharsets.UTF_8),
                                new byte[0],
                                qos,
                                false,
                                Message.NEVER,
                                null,
                                1,
                                number);
                long id = (1L << 60) + number;
                store.put(
                        new QueueEntry(BEFORE, id, message, qos, false, new int[0], null),
                        packetId,
                        packetId == 0 || random.nextBoolean());
                if (packetId != 0) {
                    seen.add(number);
                    sentAs.put(number, packetId);
                    lastOf.put(qos, number);
                }
            }
            published = count;
            Session session = node.session("s");
            node.change(session, queue -> queue.precededBy(store.depth(BEFORE), List.of()));
        }

        private void connect() {
            // On another shard, or the same one; taking the session over, or not.
            client = node.client(random.nextInt(3), "s", 3600, 1 + random.nextInt(8));
            looked = 0;
            unacknowledged.clear();
            released.clear();
        }

        private void step() {
            switch (random.nextInt(12)) {
                case 0, 1, 2, 3 -> publish(1 + random.nextInt(6));
                case 4, 5 -> acknowledge(1 + random.nextInt(4));
                case 6 -> store.rows();
                case 7, 8 -> {
                    if (store.readsWaiting() > 0) {
                        store.answer();
                    }
                }
                case 9 -> {
                    if (client != null && !client.wire.isClosed()) {
                        client.cut();
                        client = null;
                    }
                }
                case 10 -> connect();
                default -> rare();
            }
        }

        private void rare() {
            switch (random.nextInt(9)) {
                case 6, 7 -> remove();
                case 8 -> purge();
                case 0, 1 -> {
                    if (store.readsWaiting() > 0) {
                        store.fail();
                    }
                }
                case 2 -> expire();
                default -> acknowledge(30);
            }
        }

        private void publish(int count) {
            for (int i = 0; i < count; i++) {
                published++;
                publisher.publish("t", random.nextInt(3) == 0 ? 2 : 1, 1, "" + published);
                node.settle();
                publisher.ack(PacketType.PUBREL, 1);
                node.settle();
            }
        }

        /** Some rows expire; what was read already does not notice. */
        private void expire() {
            expire(node.session("s").queueId());
            if (isPreceded) {
                expire(BEFORE);
            }
        }

        private void expire(long queueId) {
            List<HybridId> ids =
                    store.queue(queueId).values().stream()
                            .filter(row -> row.idle && random.nextInt(6) == 0)
                            .peek(row ->
                                    expired.add(
                                            number(Objects.requireNonNull(row.message).payload)))
                            .map(row -> row.entry.id())
                            .toList();
            store.expire(queueId, ids);
        }

        private QueueDirectory directory() {
            return new QueueDirectory(new ClientDirectory(node.shards));
        }

        /** Removes some of the rows, whatever has become of them. */
        private void remove() {
            List<WaitingPage.Place> places = new ArrayList<>();
            Set<Integer> numbers = new TreeSet<>();
            for (long queueId : new long[] {BEFORE, node.session("s").queueId()}) {
                store.queue(queueId)
                        .forEach((id, row) -> {
                            if (random.nextInt(4) == 0) {
                                places.add(new WaitingPage.Place(queueId, id));
                                numbers.add(number(Objects.requireNonNull(row.message).payload));
                            }
                        });
            }
            if (!places.isEmpty()) {
                removals.add(new Asked(numbers, directory().remove(ClientId.of("s"), places)));
            }
        }

        private void purge() {
            Set<Integer> all = new TreeSet<>();
            for (int number = 1; number <= published; number++) {
                all.add(number);
            }
            CompletableFuture<Optional<QueueDirectory.Removed>> answer =
                    directory().purge(ClientId.of("s"), 0, 1 + random.nextInt(100));
            removals.add(new Asked(all, answer));
        }

        private void lookAtRemovals() {
            for (Asked asked : List.copyOf(removals)) {
                if (!asked.answer.isDone()) {
                    continue;
                }
                removals.remove(asked);
                if (asked.answer.isCompletedExceptionally()) {
                    continue; // Its page has failed, or its client comes and goes.
                }
                QueueDirectory.Removed answer = asked.answer.join().orElseThrow();
                removed += answer.removed();
                if (answer.inFlight() == 0 && answer.isEnd()) {
                    asked.numbers.stream().filter(each -> !seen.contains(each)).forEach(gone::add);
                }
            }
        }

        private static int number(byte[] payload) {
            return Integer.parseInt(new String(payload, StandardCharsets.UTF_8));
        }

        private void look() {
            TestClient now = client;
            if (now == null) {
                return;
            }
            List<Packet> packets = now.packets();
            for (; looked < packets.size(); looked++) {
                if (packets.get(looked) instanceof Packet.Publish publish) {
                    int number = number(publish.payload());
                    assertThat(acknowledged).as("acknowledged before").doesNotContain(number);
                    assertThat(gone).as("removed before").doesNotContain(number);
                    if (seen.add(number)) {
                        Integer before = lastOf.put(publish.qos(), number);
                        assertThat(before == null ? 0 : before)
                                .as("overtaken by")
                                .isLessThan(number);
                        assertThat(publish.dup()).isFalse();
                        sentAs.put(number, publish.packetId());
                    } else {
                        assertThat(publish.dup()).isTrue();
                        assertThat(publish.packetId()).isEqualTo(sentAs.get(number));
                    }
                    unacknowledged.add(publish);
                } else if (packets.get(looked) instanceof Packet.Ack ack
                        && ack.type() == PacketType.PUBREL) {
                    released.add(ack.packetId());
                }
            }
        }

        private void acknowledge(int most) {
            TestClient now = client;
            if (now == null || now.wire.isClosed()) {
                return;
            }
            for (int i = 0; i < most && !unacknowledged.isEmpty(); i++) {
                Packet.Publish first = unacknowledged.removeFirst();
                acknowledged.add(number(first.payload()));
                now.ack(first.qos() == 1 ? PacketType.PUBACK : PacketType.PUBREC, first.packetId());
            }
            if (random.nextBoolean()) {
                released.forEach(id -> now.ack(PacketType.PUBCOMP, id));
                released.clear();
            }
        }

        private void checkBounds() {
            SessionInfo info = SessionInfo.of(node.session("s"), 0);
            assertThat(info.queued()).isBetween(0L, (long) (limited ? LIMIT + PAGE : 100_000));
            assertThat(node.keptMessages()).isEqualTo(info.queued());
            assertThat(node.queuedMessages()).isEqualTo(info.queued() - info.queuedOnDisk());
            if (client == null || client.wire.isClosed()) {
                store.rows();
                node.settle();
                assertThat(node.queuedMessages()).as("offline").isZero();
                assertThat(node.queuedBytes()).as("offline").isZero();
            }
        }

        private void drain() {
            store.answerAll();
            node.settle();
            look();
            connect();
            node.settle();
            look();
            while (!unacknowledged.isEmpty() || !released.isEmpty()) {
                acknowledge(100);
                node.settle();
                look();
            }
            Session session = node.session("s");
            assertThat(session.inFlightCount()).isZero();
            assertThat(session.queue().inFlightBytes()).isZero();
            assertThat(node.keptMessages()).isZero();
            assertThat(node.keptBytes()).isZero();
            assertThat(node.queuedMessages()).isZero();
            assertThat(node.queuedBytes()).isZero();
            assertThat(session.queue().isEmpty()).isTrue();
            store.rows();
            node.settle();
            assertThat(store.queue(session.queueId())).isEmpty();
            assertThat(store.queue(BEFORE)).isEmpty();
            assertThat(store.forgotten).isEqualTo(isPreceded ? List.of(BEFORE) : List.of());
            QueueDrops discards = session.queue().drops();
            assertThat(discards.expired()).isLessThanOrEqualTo(expired.size());
            lookAtRemovals();
            assertThat(removals).as("removals without an answer").isEmpty();
            long counted = node.count(Metric.DROPPED_REMOVED);
            assertThat(removed).isLessThanOrEqualTo(counted); // Some have failed half way.
            assertThat(acknowledged.size() + discards.expired() + discards.queueFull() + counted)
                    .as("delivered, or discarded and counted")
                    .isEqualTo(published);
            if (!limited) {
                assertThat(discards.queueFull()).isZero();
            }
        }
    }
}
