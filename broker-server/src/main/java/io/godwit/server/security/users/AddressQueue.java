package io.godwit.server.security.users;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A queue in which addresses have their turns, whoever has how many entries. When it is full, a new
 * entry takes the place of the newest one of the address with most. Not for several threads.
 */
final class AddressQueue<T> {
    private final int max;

    /** In the order of their turns; none is empty. */
    private final Map<String, Deque<T>> byAddress = new LinkedHashMap<>();

    private int size;

    AddressQueue(int max) {
        this.max = max;
    }

    int size() {
        return size;
    }

    /** Adds an entry; returns the one for which there is no place, perhaps this one; null: none. */
    @Nullable T add(String address, T entry) {
        T displaced = size < max ? null : displace(address, entry);
        if (displaced != entry) {
            byAddress.computeIfAbsent(address, a -> new ArrayDeque<>()).addLast(entry);
            size++;
        }
        return displaced;
    }

    private T displace(String address, T entry) {
        String most = address;
        int count = count(address) + 1; // with the new one
        for (Map.Entry<String, Deque<T>> each : byAddress.entrySet()) {
            if (each.getValue().size() > count) {
                most = each.getKey();
                count = each.getValue().size();
            }
        }
        Deque<T> entries = byAddress.get(most);
        if (most.equals(address) || entries == null) {
            return entry;
        }
        size--;
        return entries.removeLast(); // it had two at least
    }

    private int count(String address) {
        Deque<T> entries = byAddress.get(address);
        return entries == null ? 0 : entries.size();
    }

    /** Returns the next entry; null: there is none. */
    @Nullable T poll() {
        if (size == 0) {
            return null;
        }
        Map.Entry<String, Deque<T>> first = byAddress.entrySet().iterator().next();
        String address = first.getKey();
        Deque<T> entries = first.getValue();
        T entry = entries.removeFirst();
        byAddress.remove(address);
        if (!entries.isEmpty()) {
            byAddress.put(address, entries); // behind the others
        }
        size--;
        return entry;
    }
}
