package io.godwit.chaos;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each client did and saw, as far back as somebody would read; and where the run is. */
final class History {
    private static final int KEPT = 2_000;

    private record Event(int round, long ms, String what, @Nullable Object subject, int packetId) {
        @Override
        public String toString() {
            return "round "
                    + round
                    + " +"
                    + ms
                    + " ms: "
                    + what
                    + (subject == null ? "" : " " + subject)
                    + (packetId == 0 ? "" : " id " + packetId);
        }
    }

    private final long seed;
    private final Map<String, ArrayDeque<Event>> events = new HashMap<>();
    private final List<Integer> roundTicks = new ArrayList<>(List.of(0));
    private int tick;
    private long roundBeganNs = System.nanoTime();

    History(long seed) {
        this.seed = seed;
    }

    long seed() {
        return seed;
    }

    /** 1 for the first. */
    int round() {
        return roundTicks.size() - 1;
    }

    void nextRound() {
        roundTicks.add(++tick);
        roundBeganNs = System.nanoTime();
    }

    int nextTick() {
        return ++tick;
    }

    int tick() {
        return tick;
    }

    int roundOf(int tick) {
        int round = 0;
        while (round + 1 < roundTicks.size() && roundTicks.get(round + 1) <= tick) {
            round++;
        }
        return round;
    }

    void note(String client, String what) {
        note(client, what, null, 0);
    }

    /**
     * @param packetId 0 for none
     */
    void note(String client, String what, @Nullable Object subject, int packetId) {
        ArrayDeque<Event> own = events.computeIfAbsent(client, name -> new ArrayDeque<>());
        if (own.size() == KEPT) {
            own.removeFirst();
        }
        long ms = (System.nanoTime() - roundBeganNs) / 1_000_000;
        own.add(new Event(round(), ms, what, subject, packetId));
    }

    /** All that is known of a client, oldest first. */
    List<String> of(String client) {
        return events.getOrDefault(client, new ArrayDeque<>()).stream()
                .map(Event::toString)
                .toList();
    }

    /** What a client did with one message or topic, then its last steps. */
    List<String> of(String client, @Nullable Object subject, int last) {
        ArrayDeque<Event> own = events.getOrDefault(client, new ArrayDeque<>());
        List<String> lines = new ArrayList<>();
        int skip = own.size() - last;
        for (Event event : own) {
            if (skip-- <= 0 || subject != null && subject.equals(event.subject())) {
                lines.add(event.toString());
            }
        }
        return lines;
    }
}
