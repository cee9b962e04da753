package io.godwit.core.packet;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("alone")
class KeyedHashTest {
    private final KeyedHash hash = new KeyedHash(new SplittableRandom(1));

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void the_same_seed_gives_the_same_hashes_and_another_one_others() {
        KeyedHash same = new KeyedHash(new SplittableRandom(1));
        KeyedHash other = new KeyedHash(new SplittableRandom(2));
        for (int length = 0; length < 100; length++) {
            byte[] name = bytes("x".repeat(length));
            assertThat(same.hash(name)).isEqualTo(hash.hash(name));
            assertThat(other.hash(name, 0, length)).isNotEqualTo(hash.hash(name, 0, length));
            assertThat(other.permute(length)).isNotEqualTo(hash.permute(length));
        }
    }

    @Test
    void only_the_bytes_of_the_range_count_wherever_they_stand() {
        byte[] whole = bytes("abcdefghijklmnopqrstuvwxyz0123456789");
        for (int from = 0; from < whole.length; from++) {
            for (int to = from; to <= whole.length; to++) {
                byte[] part = Arrays.copyOfRange(whole, from, to);
                assertThat(hash.hash(whole, from, to)).isEqualTo(hash.hash(part, 0, part.length));
            }
        }
    }

    @Test
    void each_byte_and_the_length_count() {
        Set<Long> seen = new HashSet<>();
        for (int length = 0; length <= 70; length++) {
            byte[] name = new byte[length];
            assertThat(seen.add(hash.hash(name, 0, length))).as("%s zeros", length).isTrue();
            for (int i = 0; i < length; i++) {
                for (int bit = 0; bit < 8; bit++) {
                    name[i] ^= (byte) (1 << bit);
                    assertThat(seen.add(hash.hash(name, 0, length))).isTrue();
                    name[i] ^= (byte) (1 << bit);
                }
            }
        }
    }

    /** 65 536 names into as many places: the fullest has 8 or so if they fall by chance. */
    @Test
    void names_prepared_against_the_unkeyed_hash_fall_as_by_chance() {
        List<byte[]> names = CollidingNames.of(65_536);
        assertThat(names.stream().map(name -> new Topic(name).hashCode()).distinct()).hasSize(1);
        assertThat(fullest(names.stream().map(name -> hash.hash(name) & 0xFFFF).toList()))
                .isLessThan(16);
        assertThat(fullest(names.stream().map(name -> hash.hash(name) >>> 16).toList()))
                .isLessThan(16);
    }

    @Test
    void words_that_differ_in_few_places_fall_as_by_chance_when_permuted() {
        for (int shift = 0; shift <= 48; shift += 8) {
            List<Integer> places = new ArrayList<>();
            for (long i = 0; i < 65_536; i++) {
                places.add((int) (hash.permute(i << shift) >>> 32) & 0xFFFF);
            }
            assertThat(fullest(places)).as("shift %s", shift).isLessThan(16);
        }
    }

    private static int fullest(List<Integer> places) {
        Map<Integer, Integer> counts = new HashMap<>();
        places.forEach(place -> counts.merge(place, 1, Integer::sum));
        return counts.values().stream().mapToInt(i -> i).max().orElseThrow();
    }

    @Test
    void maps_by_client_id_bear_a_flood_of_equal_hashes() {
        Map<ClientId, Integer> clients = new HashMap<>();
        Map<TopicFilter, Integer> filters = new HashMap<>();
        Map<Topic, Integer> topics = new HashMap<>();
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long cpuNanosBefore = threads.getCurrentThreadCpuTime();
        List<byte[]> names = CollidingNames.of(60_000);
        for (int round = 0; round < 2; round++) {
            for (byte[] name : names) {
                clients.merge(new ClientId(name), 1, Integer::sum);
                filters.merge(new TopicFilter(name), 1, Integer::sum);
                topics.merge(new Topic(name), 1, Integer::sum);
            }
        }
        assertThat(clients).hasSize(60_000);
        assertThat(filters).hasSize(60_000);
        assertThat(topics).hasSize(60_000);
        assertThat(clients.values()).containsOnly(2);
        long cpuNanos = threads.getCurrentThreadCpuTime() - cpuNanosBefore;
        assertThat(cpuNanos).as("where all meet in one place: minutes").isLessThan(10_000_000_000L);
    }
}
