package io.godwit.core.simulation;

import io.godwit.core.time.TimeSource;
import java.util.PriorityQueue;

/** The virtual clock and what is to happen, ordered by (time, sequence). */
public final class Scheduler implements TimeSource {
    private static final long WALL_MS = 1_700_000_000_000L;

    private record Event(long atMicros, long sequence, boolean background, Runnable action)
            implements Comparable<Event> {
        @Override
        public int compareTo(Event other) {
            int byTime = Long.compare(atMicros, other.atMicros);
            return byTime != 0 ? byTime : Long.compare(sequence, other.sequence);
        }
    }

    private final PriorityQueue<Event> events = new PriorityQueue<>();
    private long nowMicros = 1_000_000;
    private long sequence;
    private int foreground;
    private long steps;

    /** Something that must have happened before the run is quiet. */
    public void in(long micros, Runnable action) {
        foreground++;
        events.add(new Event(nowMicros + micros, sequence++, false, action));
    }

    /** Something that goes on for ever: ticks, pings. */
    public void background(long micros, Runnable action) {
        events.add(new Event(nowMicros + micros, sequence++, true, action));
    }

    /** Takes the next event, moves the clock to it and runs it; false when there is none. */
    public boolean step() {
        Event next = events.poll();
        if (next == null) {
            return false;
        }
        nowMicros = next.atMicros;
        if (!next.background) {
            foreground--;
        }
        steps++;
        next.action.run();
        return true;
    }

    /** Nothing is under way but what goes on for ever. */
    public boolean isQuiet() {
        return foreground == 0;
    }

    /** What is still to happen in the foreground, for a story. */
    String pending() {
        StringBuilder text = new StringBuilder();
        for (Event event : events) {
            if (!event.background) {
                text.append(event.atMicros).append(' ').append(event.action).append("; ");
            }
        }
        return foreground + ": " + text;
    }

    public long steps() {
        return steps;
    }

    public long micros() {
        return nowMicros;
    }

    @Override
    public long monotonicMs() {
        return nowMicros / 1000;
    }

    @Override
    public long nanos() {
        return nowMicros * 1000;
    }

    @Override
    public long wallMs() {
        return WALL_MS + nowMicros / 1000;
    }
}
