package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.extension.OnFailure;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.intercept.Interception;
import io.godwit.extension.packet.PublishPacket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Reviews of many clients at once, in real threads of two extensions, some of which answer late.
 */
@Timeout(60)
class ReviewThreadsTest {
    private static final int SHARDS = 4;
    private static final int CLIENTS = 8;
    private static final int PUBLISHES = 2_000;

    private final List<String> wrong = new ArrayList<>();

    private static ExtensionCalls start(String id) {
        return ExtensionCalls.start(
                id,
                new CallSettings(2, Duration.ofMinutes(1), 1_000_000, 1L << 32),
                ReviewThreadsTest.class.getClassLoader(),
                new CallsOwner() {
                    @Override
                    public void onFailed(String why) {}

                    @Override
                    public void onFault(VirtualMachineError fault) {}
                });
    }

    @Test
    void each_client_gets_its_answers_in_order_and_one_review_of_it_runs_at_a_time()
            throws Exception {
        AtomicReferenceArray<String> running = new AtomicReferenceArray<>(SHARDS * CLIENTS);
        Random random = new Random(7);
        try (ExecutorService later = Executors.newSingleThreadExecutor();
                ExtensionCalls first = start("first");
                ExtensionCalls second = start("second")) {
            SteppedCalls.Registering one = new SteppedCalls.Registering();
            one.publishInterceptor(
                    "#",
                    (client, packet) -> {
                        int place = Integer.parseInt(client.clientId());
                        if (!running.compareAndSet(place, null, packet.topic())) {
                            say(running.get(place) + " runs beside " + packet.topic());
                        }
                        Interception<PublishPacket> same = Interception.unchanged();
                        if (packet.topic().hashCode() % 4 != 0) {
                            return same.now();
                        }
                        CompletableFuture<Interception<PublishPacket>> answer =
                                new CompletableFuture<>();
                        later.execute(() -> answer.complete(same));
                        return answer;
                    },
                    OnFailure.REFUSE);
            SteppedCalls.Registering two = new SteppedCalls.Registering();
            two.publishAuthorizer(
                    (client, packet) -> {
                        int place = Integer.parseInt(client.clientId());
                        if (!running.compareAndSet(place, packet.topic(), null)) {
                            say(packet.topic() + " while " + running.get(place) + " runs");
                        }
                        return Authorization.allowed().now();
                    },
                    OnFailure.REFUSE);
            Reviewer reviewer =
                    new ExtensionHooks(
                                    List.of(
                                            new ExtensionHooks.Running(
                                                    one.registered("first", 2), first),
                                            new ExtensionHooks.Running(
                                                    two.registered("second", 1), second)),
                                    new ReviewOrder(),
                                    1_000)
                            .reviewer();
            assertThat(reviewer).isNotNull();
            CountDownLatch answers = new CountDownLatch(SHARDS * CLIENTS * PUBLISHES);
            List<Thread> shards = new ArrayList<>();
            for (int i = 0; i < SHARDS; i++) {
                int shard = i;
                long seed = random.nextLong();
                shards.add(Thread.ofPlatform().start(() -> run(reviewer, shard, seed, answers)));
            }
            for (Thread each : shards) {
                each.join();
            }
            answers.await();
            assertThat(first.state().waiting()).isZero();
        }
        assertThat(wrong).isEmpty();
    }

    private synchronized void say(String text) {
        wrong.add(text);
    }

    private void run(Reviewer reviewer, int shard, long seed, CountDownLatch answers) {
        Random random = new Random(seed);
        Subject[] clients = new Subject[CLIENTS];
        int[] sent = new int[CLIENTS];
        AtomicInteger[] answered = new AtomicInteger[CLIENTS];
        ConcurrentLinkedQueue<Integer> left = new ConcurrentLinkedQueue<>();
        for (int i = 0; i < CLIENTS; i++) {
            clients[i] =
                    new Subject(
                            ClientId.of(String.valueOf(shard * CLIENTS + i)),
                            Identity.ANONYMOUS,
                            new Peer("10.0.0.1:1", false, "tcp"));
            answered[i] = new AtomicInteger();
            left.add(i);
        }
        while (!left.isEmpty()) {
            int i = random.nextInt(CLIENTS);
            int number = sent[i]++;
            if (number >= PUBLISHES) {
                left.remove(i);
                continue;
            }
            reviewer.publish(
                    clients[i],
                    ProtocolVersion.MQTT_5,
                    publish(String.valueOf(number)),
                    outcome -> {
                        int expected = answered[i].getAndIncrement();
                        if (!(outcome instanceof PublishOutcome.Go go)
                                || !go.publish().topic().toString().equals("" + expected)) {
                            say(expected + ": " + outcome);
                        }
                        answers.countDown();
                    });
        }
    }

    private static ReviewedPublish publish(String topic) {
        return new ReviewedPublish(
                Topic.of(topic),
                new byte[0],
                PublishFrame.NO_PROPERTIES,
                1,
                false,
                false,
                -1,
                false,
                1);
    }
}
