package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.membership.MembershipSettings;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Records of every kind, answers and links in random order, on one stream. */
class RandomOutStreamTest {
    /**
     * What is small is written at once, what is large or of QoS 2 is not. Some links write late,
     * when what they were given is answered by the next one already.
     */
    @Test
    void whatever_it_is_kept_as_it_leaves_in_order_marked_as_it_must_be_until_it_is_answered() {
        for (long seed = 1; seed <= 50; seed++) {
            new Run(seed).run();
        }
    }

    /** Adds, answers and links in random order. */
    private static final class Run {
        private static final class Added {
            final String label;
            final int qos;
            final @Nullable Receipt receipt;
            boolean offered;
            boolean again;
            boolean done;

            Added(String label, int qos, @Nullable Receipt receipt) {
                this.label = label;
                this.qos = qos;
                this.receipt = receipt;
            }
        }

        private final long seed;
        private final SplittableRandom random;
        private final OutStreamFixture at = new OutStreamFixture();
        private final List<Added> all = new ArrayList<>();
        private final List<String> expected = new ArrayList<>();
        private final List<Long> told = new ArrayList<>();
        private NodeStart peer = OutStreamFixture.PEER;
        private final boolean late;
        private OutStreamFixture.Wire wire;

        /** Links that have ended, and what they had to bring; one that is late has not yet. */
        private final Map<OutStreamFixture.Wire, List<String>> ended = new LinkedHashMap<>();

        private int upTo;
        private int topic;

        /** Of a hundred messages so many may be of another topic than the one before them. */
        private int changes;

        Run(long seed) {
            this.seed = seed;
            this.random = new SplittableRandom(seed);
            this.late = random.nextBoolean();
            this.wire = at.up(peer, late, protocol());
        }

        void run() {
            int smallOf100 = random.nextInt(50, 101);
            changes = random.nextInt(1, 100);
            for (int step = 0; step < 150; step++) {
                int what = random.nextInt(100);
                if (what < 60) {
                    addSome(smallOf100);
                } else if (what < 90) {
                    answerSome();
                } else {
                    link(what < 95);
                }
                if (!late || random.nextInt(4) == 0) {
                    assertThat(wire.records())
                            .as("seed %d, step %d", seed, step)
                            .isEqualTo(expected);
                }
                for (Added each : all) {
                    Receipt receipt = each.receipt;
                    assertThat(receipt == null ? each.done : receipt.isDone())
                            .as("seed %d", seed)
                            .isEqualTo(each.done);
                }
            }
            link(true);
            at.stream.onAnswers(
                    peer,
                    new Answers(
                            1,
                            all.size(),
                            OutStreamFixture.NONE,
                            new byte[0],
                            OutStreamFixture.NONE,
                            OutStreamFixture.NONE));
            ended.forEach((link, records) ->
                    assertThat(link.records()).as("seed %d", seed).isEqualTo(records));
            assertThat(at.charged).as("seed %d", seed).isZero();
            assertThat(at.spare).as("seed %d", seed).isBetween(late ? 0L : 32L << 10, 128L << 10);
            assertThat(told).as("seed %d", seed).isSorted();
        }

        private void addSome(int smallOf100) {
            for (int n = random.nextInt(1, 80); n > 0; n--) {
                boolean small = random.nextInt(100) < smallOf100;
                int qos = random.nextInt(small ? 2 : 3);
                int length = small ? random.nextInt(400) : random.nextInt(800, 2_000);
                topic = random.nextInt(100) < changes ? random.nextInt(3) : topic;
                int number = (all.size() + 1) * 10_000 + length;
                Message message = at.message("t" + topic, qos, number, length);
                boolean passes = qos < 2 && length < 400 && random.nextBoolean();
                Receipt receipt = passes ? at.pass(message) : at.add(message);
                Added added = new Added(OutStreamFixture.label(message), qos, receipt);
                added.offered = true;
                all.add(added);
                expected.add(added.label);
            }
            long last = at.stream.last();
            at.stream.whenAnsweredAtLast(last, () -> told.add(last));
            at.stream.flush();
        }

        private void answerSome() {
            int last = all.size();
            upTo = Math.min(last, upTo + random.nextInt(60));
            long[] others = new long[last == 0 ? 0 : random.nextInt(5)];
            for (int i = 0; i < others.length; i++) {
                others[i] = random.nextInt(last) + 1L;
                all.get((int) others[i] - 1).done = true;
            }
            all.subList(0, upTo).forEach(each -> each.done = true);
            byte[] reasons = new byte[others.length];
            at.stream.onAnswers(
                    peer,
                    new Answers(
                            1,
                            upTo,
                            others,
                            reasons,
                            OutStreamFixture.NONE,
                            OutStreamFixture.NONE));
        }

        private int protocol() {
            return random.nextInt(MembershipSettings.PROTOCOL_MIN, MembershipSettings.PROTOCOL + 1);
        }

        private void link(boolean isSame) {
            ended.put(wire, List.copyOf(expected));
            at.stream.onDown(wire);
            peer = isSame ? peer : new NodeStart(2, peer.start() + 1);
            expected.clear();
            for (Added each : all) {
                if (!isSame && each.qos == 0 && each.offered) {
                    each.done = true;
                }
                each.again |= !isSame && each.offered;
                if (!each.done) {
                    expected.add(each.again ? each.label + "*" : each.label);
                }
            }
            wire = at.up(peer, late, protocol());
        }
    }
}
