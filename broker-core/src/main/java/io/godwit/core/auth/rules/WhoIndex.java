package io.godwit.core.auth.rules;

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
    private static final int[] NONE = {};

    /** Each under its number; the first is not there. */
    private final List<Who> all;

    private final Map<String, int[]> byUser;
    private final Map<String, int[]> byGroup;
    private final Map<String, int[]> byClient;
    private final int[] others;
    private final AtomicReferenceArray<int @Nullable []> shared =
            new AtomicReferenceArray<>(SHARED);

    /**
     * @param all conditions, from number 1 on
     */
    WhoIndex(List<Who> all) {
        this.all = List.copyOf(all);
        Map<String, Numbers> users = new HashMap<>();
        Map<String, Numbers> groups = new HashMap<>();
        Map<String, Numbers> clients = new HashMap<>();
        Numbers rest = new Numbers();
        for (int i = 0; i < all.size(); i++) {
            Who who = all.get(i);
            Names plainClients = who.plainClients();
            if (!who.users().isEmpty() && who.users().patterns() == 0) {
                add(users, who.users().plain(), i + 1);
            } else if (!who.groups().isEmpty()) {
                add(groups, who.groups(), i + 1);
            } else if (plainClients != null) {
                add(clients, plainClients.plain(), i + 1);
            } else {
                rest.add(i + 1);
            }
        }
        byUser = sealed(users);
        byGroup = sealed(groups);
        byClient = sealed(clients);
        others = rest.sortedDistinct();
    }

    private static void add(Map<String, Numbers> table, Iterable<String> names, int number) {
        for (String each : names) {
            table.computeIfAbsent(each, name -> new Numbers()).add(number);
        }
    }

    private static Map<String, int[]> sealed(Map<String, Numbers> table) {
        Map<String, int[]> sealed = new HashMap<>();
        table.forEach((name, numbers) -> sealed.put(name, numbers.sortedDistinct()));
        return sealed;
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
            addThoseMet(byUser.getOrDefault(user, NONE), client, numbers);
        }
        for (String each : client.groups()) {
            addThoseMet(byGroup.getOrDefault(each, NONE), client, numbers);
        }
        addThoseMet(byClient.getOrDefault(client.clientId(), NONE), client, numbers);
        addThoseMet(others, client, numbers);
        return share(numbers.sortedDistinct());
    }

    private void addThoseMet(int[] candidates, Traits client, Numbers to) {
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
        private int[] values = new int[2];
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
