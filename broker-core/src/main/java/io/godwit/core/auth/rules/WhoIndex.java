package io.godwit.core.auth.rules;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Finds which of a list's conditions a client meets, without a look at those of all other users.
 * Clients that meet the same conditions share the answer, most of the time.
 */
final class WhoIndex {
    /** The number that stands for everybody. */
    static final int EVERYBODY = 0;

    private static final int SHARED = 256;

    /** Each under its number; the first is not there. */
    private final List<Who> all;

    private final Map<String, List<Integer>> byUser = new HashMap<>();
    private final Map<String, List<Integer>> byGroup = new HashMap<>();
    private final Map<String, List<Integer>> byClient = new HashMap<>();
    private final List<Integer> others = new ArrayList<>();
    private final AtomicReferenceArray<int @Nullable []> shared =
            new AtomicReferenceArray<>(SHARED);

    /**
     * @param all conditions, from number 1 on
     */
    WhoIndex(List<Who> all) {
        this.all = List.copyOf(all);
        for (int i = 0; i < all.size(); i++) {
            put(all.get(i), i + 1);
        }
    }

    private void put(Who who, int number) {
        Names clients = who.plainClients();
        if (!who.users().isEmpty() && who.users().patterns() == 0) {
            put(byUser, who.users().plain(), number);
        } else if (!who.groups().isEmpty()) {
            put(byGroup, who.groups(), number);
        } else if (clients != null) {
            put(byClient, clients.plain(), number);
        } else {
            others.add(number);
        }
    }

    private static void put(Map<String, List<Integer>> table, Iterable<String> names, int number) {
        for (String each : names) {
            table.computeIfAbsent(each, name -> new ArrayList<>(1)).add(number);
        }
    }

    Who get(int number) {
        return all.get(number - 1);
    }

    /** Returns the numbers of the conditions that the client meets, in order, everybody first. */
    int[] matching(Traits client) {
        Numbers numbers = new Numbers();
        numbers.add(EVERYBODY);
        String user = client.userName();
        if (user != null) {
            addThoseMet(byUser.getOrDefault(user, List.of()), client, numbers);
        }
        for (String each : client.groups()) {
            addThoseMet(byGroup.getOrDefault(each, List.of()), client, numbers);
        }
        addThoseMet(byClient.getOrDefault(client.clientId(), List.of()), client, numbers);
        addThoseMet(others, client, numbers);
        return share(numbers.sortedDistinct());
    }

    private void addThoseMet(List<Integer> candidates, Traits client, Numbers to) {
        for (int each : candidates) {
            if (get(each).unmet(client) == null) {
                to.add(each);
            }
        }
    }

    /** Returns an equal array that another client has, if one is found at once. */
    private int[] share(int[] numbers) {
        int place = Arrays.hashCode(numbers) * 0x9E37_79B9 >>> 24;
        int[] found = shared.get(place);
        if (found != null && Arrays.equals(found, numbers)) {
            return found;
        }
        shared.set(place, numbers);
        return numbers;
    }

    /** An array that grows. */
    private static final class Numbers {
        private int[] values = new int[8];
        private int length;

        void add(int value) {
            if (length == values.length) {
                values = Arrays.copyOf(values, length * 2);
            }
            values[length++] = value;
        }

        int[] sortedDistinct() {
            Arrays.sort(values, 0, length);
            int kept = 0;
            for (int i = 0; i < length; i++) {
                if (i == 0 || values[i] != values[i - 1]) {
                    values[kept++] = values[i];
                }
            }
            return Arrays.copyOf(values, kept);
        }
    }
}
