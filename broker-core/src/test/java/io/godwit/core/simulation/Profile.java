package io.godwit.core.simulation;

import io.godwit.core.settings.LimitSettings;
import io.godwit.core.settings.MqttSettings;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueueSettings;
import io.godwit.core.settings.SharedStrategy;
import java.util.random.RandomGenerator;

/** What is different from seed to seed: each emphasises something else. */
final class Profile {
    private boolean calm;
    final int shards;
    final int clients;
    final long actMicros;
    final int gapMicros;
    final int latencyMicros;
    final int chunkMax;
    final int writeHighWater;
    final int writeLowWater;
    final int storeDelayMicros;

    /** Crashes, restarts and failures of the store: about one in half of so many; 0 = none. */
    final int troubleEverySteps;

    /** What there is too little of. */
    final Shortage shortage;

    /** Several clients publish to one retained topic. */
    final boolean contends;

    final int firstPacketId;

    /** Clients take the lowest packet id that is free, so that ids are used again at once. */
    final boolean lowPacketIds;

    final boolean largePayloads;
    final boolean slowAcks;
    final boolean sameShard;
    final int connectWeight;
    final int cutWeight;
    final int publishWeight;
    final int subscribeWeight;
    final int unsubscribeWeight;
    final int pauseWeight;
    final int impostorWeight;
    final int sharedPercent;
    final MqttSettings mqtt;
    final LimitSettings limits;
    final QueueSettings queues;
    final OverloadSettings overload;

    /**
     * @param contends whether several clients publish to one retained topic
     */
    Profile(RandomGenerator random, boolean contends, Shortage shortage) {
        this.contends = contends;
        this.shortage = shortage;
        shards = 1 + random.nextInt(4);
        clients = 3 + random.nextInt(5);
        actMicros = 2_000_000 + random.nextInt(4) * 1_000_000L;
        gapMicros = pick(random, 20_000, 60_000, 200_000);
        latencyMicros = pick(random, 200, 2_000, 20_000);
        chunkMax = pick(random, 7, 60, 4_000, 1_000_000);
        writeHighWater = pick(random, 300, 4_000, 100_000);
        writeLowWater = writeHighWater / 2;
        storeDelayMicros = pick(random, 0, 300, 5_000, 60_000);
        troubleEverySteps = pick(random, 0, 1_500, 6_000);
        firstPacketId = pick(random, 0, 0, 65_500, 65_530);
        lowPacketIds = random.nextBoolean();
        largePayloads = random.nextInt(8) == 0;
        slowAcks = random.nextBoolean();
        sameShard = random.nextInt(6) == 0;
        connectWeight = 6;
        cutWeight = pick(random, 1, 4, 10);
        publishWeight = pick(random, 10, 25, 50);
        subscribeWeight = pick(random, 3, 8);
        unsubscribeWeight = pick(random, 0, 2, 5);
        pauseWeight = pick(random, 0, 2, 6);
        impostorWeight = pick(random, 0, 1, 4);
        sharedPercent = pick(random, 0, 15, 60);
        mqtt =
                new MqttSettings(
                        pick(random, 3, 20, 1_024),
                        5,
                        pick(random, 0, 2, 10),
                        1 << 20,
                        2,
                        0,
                        true,
                        true,
                        true,
                        true,
                        0xFFFF_FFFFL,
                        pick(random, 1, 60, 600),
                        pick(random, 2, 10, 200),
                        SharedStrategy.values()[random.nextInt(SharedStrategy.values().length)],
                        "",
                        false);
        limits = LimitSettings.DEFAULTS;
        queues =
                new QueueSettings(
                        shortage.queueMessages(),
                        1L << 30,
                        shortage.policy(),
                        100_000_000,
                        100L << 30,
                        pick(random, 1, 3, 20, 100));
        overload =
                new OverloadSettings(
                        pick(random, 0, 2, 200),
                        writeHighWater,
                        writeLowWater,
                        pick(random, 10, 50_000),
                        pick(random, 1 << 28, 1 << 28, 20_000, 4_000),
                        pick(random, 1 << 20, 1_000),
                        1_000);
    }

    static int pick(RandomGenerator random, int... choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** The end of the run: nothing is slow any more. */
    void calm() {
        calm = true;
    }

    long latency(RandomGenerator random) {
        return random.nextInt(calm ? 200 : latencyMicros);
    }

    int chunk(RandomGenerator random, int available) {
        int most = calm ? available : Math.min(available, chunkMax);
        return random.nextInt(3) == 0 ? 1 + random.nextInt(most) : most;
    }
}
