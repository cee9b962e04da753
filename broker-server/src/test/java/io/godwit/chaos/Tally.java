package io.godwit.chaos;

import java.util.EnumMap;
import java.util.Map;
import java.util.stream.Collectors;

/** How often what happened. */
final class Tally {
    private final Map<Happening, Long> counts = new EnumMap<>(Happening.class);

    void count(Happening happening) {
        add(happening, 1);
    }

    void add(Happening happening, long times) {
        counts.merge(happening, times, Long::sum);
    }

    long of(Happening happening) {
        return counts.getOrDefault(happening, 0L);
    }

    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(each -> "%,12d  %s".formatted(each.getValue(), each.getKey()))
                .collect(Collectors.joining("\n"));
    }
}
