package io.godwit.persistence;

import static org.assertj.core.api.Assertions.fail;

import io.godwit.core.message.Message;
import io.godwit.persistence.settings.StoreRule;
import io.godwit.persistence.settings.StoreRules;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random work on a few sessions, power cuts at random moments, and after each start a comparison
 * with what must, may and must not be there.
 */
class PowerCutTest {
    private static final int SESSIONS = 6;
    private static final int STARTS = 8;

    static IntStream seeds() {
        return IntStream.range(0, Integer.getInteger("store.seeds", 150));
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void nothing_committed_is_lost_and_nothing_removed_comes_back(int seed) {
        new Run(seed, StoreRules.ALL).go();
    }

    /**
     * Rules that this test can see: of what queues remember, of ids' ceilings, of rows that are
     * left out, of copies and of the inside of a flush others tell.
     */
    @ParameterizedTest(name = "rule {0}")
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {
                "IDS_ABOVE_CEILING",
                "INGRESS_OUTLIVES_WINDOW",
                "WHOLE_COMMITS",
                "POSITION_BEFORE_FLUSH",
                "COVERAGE_BEFORE_RELEASE",
                "LEFT_OUT_WHEN_JOURNALED",
                "MOMENT_PAGES",
                "COPY_RANGE_REPLACES",
                "UNKNOWN_SET_ASIDE"
            })
    void a_rule_that_does_not_hold_is_noticed(StoreRule rule) {
        for (int seed = 0; seed < 500; seed++) {
            try {
                new Run(seed, StoreRules.without(rule)).go();
            } catch (AssertionError | RuntimeException noticed) {
                return;
            }
        }
        fail("nobody notices that rule " + rule + " does not hold");
    }

    private static final class Run {
        final Random random;
        final StoreRules rules;
        StoreFixture store;
        final PowerCutModel model = new PowerCutModel();

        Run(int seed, StoreRules rules) {
            random = new Random(seed);
            this.rules = rules;
            store =
                    new StoreFixture(
                            new StepWorkers(),
                            new MemoryDisk(),
                            new MemoryJournal(),
                            StoreFixture.SETTINGS,
                            rules);
            tune();
        }

        void tune() {
            store.disk.flushEvery = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : 0;
            store.journal.syncsLeft = random.nextInt(3) == 0 ? random.nextInt(30) : -1;
        }

        void go() {
            for (int start = 0; start < STARTS; start++) {
                int steps = random.nextInt(120);
                for (int i = 0; i < steps; i++) {
                    step();
                }
                cut();
                model.check(store);
            }
        }

        private void cut() {
            model.settle(store);
            store.time.halt();
            store =
                    new StoreFixture(
                            store.time,
                            store.disk.crashed(),
                            store.journal.crashed(),
                            StoreFixture.SETTINGS,
                            rules);
            tune();
        }

        private void step() {
            int shard = random.nextInt(2);
            long queueId = StoreFixture.queue(1 + shard + 2 * random.nextInt(SESSIONS / 2));
            PowerCutModel.Kept session = model.sessions.get(queueId);
            switch (random.nextInt(14)) {
                case 0 -> model.commit(store);
                case 1 -> {
                    model.commit(store);
                    store.time.pass(random.nextInt(1500));
                }
                case 2 -> store.materialise();
                case 3 -> {
                    for (int i = random.nextInt(4); i > 0; i--) {
                        store.time.step();
                    }
                }
                case 4 -> {
                    if (random.nextInt(6) == 0) {
                        store.disk.flush();
                    }
                }
                default -> {
                    if (session == null) {
                        if (!model.gone.contains(queueId)) {
                            model.connect(store, shard, queueId);
                        }
                    } else {
                        change(shard, session);
                    }
                }
            }
        }

        private void change(int shard, PowerCutModel.Kept session) {
            List<PowerCutModel.Item> here = new ArrayList<>(session.items.values());
            PowerCutModel.Item item = here.isEmpty() ? null : here.get(random.nextInt(here.size()));
            int what = random.nextInt(20);
            if (what == 19 && random.nextInt(8) == 0) {
                model.remove(store, shard, session);
            } else if (what >= 17) {
                model.subscribe(store, shard, session, random.nextInt(3), random.nextBoolean());
            } else if (what >= 15) {
                model.retain(store, shard, random.nextInt(3), random.nextBoolean());
            } else if (what < 6 || item == null) {
                int targets = random.nextInt(5) == 0 ? 2 : 1;
                Message message =
                        store.message(
                                "m" + random.nextInt() + "z".repeat(random.nextInt(300)),
                                1 + random.nextInt(2),
                                random.nextBoolean()
                                        ? Message.NEVER
                                        : store.time.wallMs() + 1_000_000);
                for (PowerCutModel.Kept each : model.sessions.values()) {
                    if (targets > 0 && each.shard == shard) {
                        model.append(store, shard, each, message);
                        targets--;
                    }
                }
            } else if (item.entry.packetId == 0 && what < 10) {
                model.inFlight(store, shard, session, item);
            } else if (item.entry.qos == 2 && item.entry.packetId != 0 && !item.released) {
                model.release(store, shard, item);
            } else {
                model.remove(store, shard, session, item);
            }
        }
    }
}
