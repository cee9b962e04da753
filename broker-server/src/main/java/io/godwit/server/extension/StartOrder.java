package io.godwit.server.extension;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Orders extensions that wait for their start: what they need first, then by priority and id. */
final class StartOrder {
    private final Map<Slot, Descriptor> waiting;

    StartOrder(Map<Slot, Descriptor> toStart) {
        Comparator<Slot> byPriority =
                Comparator.comparingInt((Slot each) -> -priority(toStart, each))
                        .thenComparing(each -> each.id);
        waiting = new TreeMap<>(byPriority);
        waiting.putAll(toStart);
    }

    private static int priority(Map<Slot, Descriptor> all, Slot slot) {
        Descriptor descriptor = all.get(slot);
        return descriptor == null ? 0 : descriptor.startPriority();
    }

    /** Returns the next one; null: all that are left need one that does not run. */
    @Nullable Slot next(Set<String> running) {
        for (Map.Entry<Slot, Descriptor> each : waiting.entrySet()) {
            if (running.containsAll(each.getValue().needs())) {
                return each.getKey();
            }
        }
        return null;
    }

    Descriptor take(Slot next) {
        Descriptor descriptor = waiting.remove(next);
        if (descriptor == null) {
            throw new IllegalArgumentException(next.id + " does not wait");
        }
        return descriptor;
    }

    /** Returns what is left. */
    Map<Slot, Descriptor> blocked() {
        return waiting;
    }

    /** Says in a sentence why one of those that are left can't start. */
    String whyBlocked(Slot slot, Map<String, Slot> known, Set<String> running) {
        if (needs(slot.id).contains(slot.id)) {
            return "it needs itself (needs)";
        }
        if (needsItself(slot.id)) {
            return "it needs itself, by way of " + String.join(", ", needs(slot.id));
        }
        String missing =
                needs(slot.id).stream()
                        .filter(each -> !running.contains(each))
                        .findFirst()
                        .orElse("");
        return "it needs "
                + missing
                + (known.containsKey(missing) ? ", which does not run" : ", which is not there");
    }

    private boolean needsItself(String id) {
        Set<String> reached = new HashSet<>();
        Deque<String> next = new ArrayDeque<>(needs(id));
        while (!next.isEmpty()) {
            String each = next.pop();
            if (each.equals(id)) {
                return true;
            }
            if (reached.add(each)) {
                next.addAll(needs(each));
            }
        }
        return false;
    }

    private List<String> needs(String id) {
        return waiting.entrySet().stream()
                .filter(each -> each.getKey().id.equals(id))
                .findFirst()
                .map(each -> each.getValue().needs())
                .orElse(List.of());
    }
}
