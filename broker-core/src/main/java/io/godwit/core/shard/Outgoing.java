package io.godwit.core.shard;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Mail of one turn to the other shards, posted at its end in waves: to each shard in the order in
 * which it was sent, and mail that is to follow all other in a later wave than that. Nearly every
 * turn has one wave or two.
 */
final class Outgoing {
    private final List<Outbox[]> waves = new ArrayList<>();

    /** By shard, the wave of its last mail. */
    private int[] last = new int[0];

    private int[] lastOrdinary = new int[0];

    void open(int shards) {
        last = new int[shards];
        lastOrdinary = new int[shards];
        Arrays.fill(lastOrdinary, -1);
        addWave();
    }

    void add(int shard, Mail mail) {
        int wave = last[shard];
        lastOrdinary[shard] = wave;
        waves.get(wave)[shard].add(mail);
    }

    void addAfterAll(int shard, Mail mail) {
        int wave = last[shard];
        for (int i = 0; i < lastOrdinary.length; i++) {
            if (i != shard) {
                wave = Math.max(wave, lastOrdinary[i] + 1);
            }
        }
        while (waves.size() <= wave) {
            addWave();
        }
        last[shard] = wave;
        waves.get(wave)[shard].add(mail);
    }

    void post(LoopShard from) {
        for (int wave = 0; wave < waves.size(); wave++) {
            Outbox[] outboxes = waves.get(wave);
            for (int i = 0; i < outboxes.length; i++) {
                if (!outboxes[i].isEmpty()) {
                    from.post(i, outboxes[i].take(from.index()));
                }
            }
        }
        if (waves.size() > 2) {
            waves.subList(2, waves.size()).clear();
        }
        Arrays.fill(last, 0);
        Arrays.fill(lastOrdinary, -1);
    }

    private void addWave() {
        Outbox[] outboxes = new Outbox[last.length];
        for (int i = 0; i < outboxes.length; i++) {
            outboxes[i] = new Outbox();
        }
        waves.add(outboxes);
    }
}
