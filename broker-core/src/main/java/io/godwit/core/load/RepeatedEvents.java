package io.godwit.core.load;

import io.godwit.core.shard.Shard;
import io.godwit.core.time.Timer;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Logs events that clients cause and may repeat. The first of each kind (client and reason) is
 * logged at once. Those that follow are counted, and the count is logged every ten seconds until
 * none follows. Clients choose their names, so only so many kinds are told apart; beyond them each
 * cause has a count of its own. Belongs to one shard.
 */
public final class RepeatedEvents extends Timer {
    public static final long WINDOW_MS = 10_000;

    /** Kinds of events that are told apart within a window. */
    public static final int KINDS_MAX = 64;

    private static final String WITHIN = " within " + WINDOW_MS / 1_000 + " s";

    private final Consumer<String> log;
    private final Shard shard;
    private final Map<String, Repeated> kinds = new HashMap<>();
    private final Map<String, Long> others = new TreeMap<>();

    /**
     * @param log takes one line
     */
    public RepeatedEvents(Consumer<String> log, Shard shard) {
        this.log = log;
        this.shard = shard;
    }

    private static final class Repeated {
        final String line;
        long unlogged;

        Repeated(String line) {
            this.line = line;
        }
    }

    /**
     * Logs an event, or counts it.
     *
     * @param cause one of a fixed number of short names
     * @param kind events of equal kinds are counted together, such as those of a client and reason
     * @param line the whole line
     */
    public void add(String cause, String kind, String line) {
        Repeated known = kinds.get(kind);
        if (known != null) {
            known.unlogged++;
        } else if (kinds.size() < KINDS_MAX) {
            kinds.put(kind, new Repeated(line));
            log.accept(line);
        } else {
            others.merge(cause, 1L, Long::sum);
        }
        if (!isArmed()) {
            shard.timers().arm(this, shard.nowMs() + WINDOW_MS);
        }
    }

    @Override
    protected void onTimer(long nowMs) {
        for (Iterator<Repeated> i = kinds.values().iterator(); i.hasNext(); ) {
            Repeated each = i.next();
            if (each.unlogged == 0) {
                i.remove();
            } else {
                log.accept(each.line + " (" + each.unlogged + " more times" + WITHIN + ")");
                each.unlogged = 0;
            }
        }
        others.forEach((cause, count) ->
                log.accept(cause + ": " + count + " more from other clients" + WITHIN));
        others.clear();
        if (!kinds.isEmpty()) {
            shard.timers().arm(this, nowMs + WINDOW_MS);
        }
    }
}
