package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.core.packet.ClientId;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * When former homes may be told that they may let go of what they keep of a session: when nothing
 * is on its way to them that was sent before its new home was known. That is asked for when the
 * session has come: what is sent later goes to the new home as well.
 */
final class LastWords {
    /** What is not known any more is asked for again. */
    private static final int KNOWN_MAX = 10_000;

    private static final Runnable NOTHING = () -> {};

    private final LastWord ways;

    /** Asked for, with what is to be done then. */
    private final Map<Whole, Runnable> asked = new HashMap<>(0);

    /** Nothing is on its way any more; the oldest first. */
    private final Set<Whole> clear = new LinkedHashSet<>(0);

    LastWords(LastWord ways) {
        this.ways = ways;
    }

    /** A session has come, and every node that is heard routes to it. */
    void arrived(ClientId clientId, List<Former> former) {
        for (Former each : former) {
            ask(each.server(), new Whole(clientId, each.changes()), NOTHING);
        }
    }

    private void ask(int server, Whole what, Runnable task) {
        asked.put(what, task);
        ways.whenClear(
                server,
                what,
                () -> {
                    clear.add(what);
                    if (clear.size() > KNOWN_MAX) {
                        Iterator<Whole> oldest = clear.iterator();
                        oldest.next();
                        oldest.remove();
                    }
                    Runnable then = asked.remove(what);
                    if (then != null) {
                        then.run();
                    }
                });
    }

    /** Runs a task when a former home may be told so. */
    void whenClear(int server, Whole what, Runnable task) {
        if (clear.contains(what)) {
            task.run();
        } else if (asked.containsKey(what)) {
            asked.put(what, task);
        } else {
            ask(server, what, task);
        }
    }

    /** A former home has let go. */
    void dropped(TakeoverMessage.Dropped of) {
        clear.remove(new Whole(of.clientId(), of.changes()));
    }
}
