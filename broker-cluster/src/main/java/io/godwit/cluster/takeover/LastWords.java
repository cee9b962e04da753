package io.godwit.cluster.takeover;

import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.packet.ClientId;
import io.godwit.core.settings.Rule;
import io.godwit.core.settings.Rules;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * When former homes may be told that they may let go of what they keep of a session: when nothing
 * is on its way to them that was sent before its new home was known. That is asked for when the
 * session has come: what is sent later goes to the new home as well.
 *
 * <p>What was sent before is to be <i>handled</i> there, and need not be answered. Then the former
 * home has given it to what it keeps of the session, in order, and lets go of that only when the
 * new home has answered for all that was passed on: nothing of it can be missed, and the order is
 * that of the way round. What is not answered then, others there have not taken. They may be
 * sessions that wait, as this one does here, for the last word to their former homes: if each
 * waited for answers, two that have gone crosswise would wait for each other.
 *
 * <p>What is not answered is sent again to the former home's next start. That needs the copy of the
 * session again, if it is still kept, since the last start may not have passed on all that it had
 * handled. So an answer holds for one start: whenever there is a link to another one it is asked
 * anew, and the last word that goes by that link follows an answer to a question which this start
 * was there for already.
 */
final class LastWords {
    /** What is not known any more is asked for again. */
    private static final int KNOWN_MAX = 10_000;

    private static final Runnable NOTHING = () -> {};

    private final LastWord ways;
    private final Rules rules;
    private final Map<Integer, Start> starts = new HashMap<>(0);

    /** One start of a former home. */
    private static final class Start {
        /** Null while there has been no link to it. */
        final @Nullable NodeStart of;

        /** Asked for, with what is to be done then. */
        final Map<Whole, Runnable> asked = new HashMap<>(0);

        /** Nothing is on its way any more; the oldest first. */
        final Set<Whole> clear = new LinkedHashSet<>(0);

        Start(@Nullable NodeStart of) {
            this.of = of;
        }

        /**
         * @return what was to be done then
         */
        Runnable cleared(Whole what) {
            clear.add(what);
            if (clear.size() > KNOWN_MAX) {
                Iterator<Whole> oldest = clear.iterator();
                oldest.next();
                oldest.remove();
            }
            Runnable then = asked.remove(what);
            return then == null ? NOTHING : then;
        }
    }

    LastWords(LastWord ways, Rules rules) {
        this.ways = ways;
        this.rules = rules;
    }

    /** There is a link to a node: what an earlier start of it has handled does not count. */
    void linked(NodeStart peer) {
        int server = peer.server();
        Start before = start(server);
        if (peer.equals(before.of) || !rules.holds(Rule.LAST_WORD_TO_THIS_START)) {
            return;
        }
        starts.put(server, new Start(peer));
        Map<Whole, Runnable> again = new HashMap<>(before.asked);
        before.asked.clear();
        again.forEach((what, task) -> ask(server, what, task));
    }

    private Start start(int server) {
        return starts.computeIfAbsent(server, any -> new Start(null));
    }

    /** A session has come, and every node that is heard routes to it. */
    void arrived(ClientId clientId, List<Former> former) {
        for (Former each : former) {
            ask(each.server(), new Whole(clientId, each.changes()), NOTHING);
        }
    }

    private void ask(int server, Whole what, Runnable task) {
        Start of = start(server);
        of.asked.put(what, task);
        // Of an earlier start it says nothing any more: then nobody waits for it.
        ways.whenClear(server, what, () -> of.cleared(what).run());
    }

    /** Runs a task when a former home may be told so. */
    void whenClear(int server, Whole what, Runnable task) {
        Start of = start(server);
        if (of.clear.contains(what)) {
            task.run();
        } else if (of.asked.containsKey(what)) {
            of.asked.put(what, task);
        } else {
            ask(server, what, task);
        }
    }

    /** A former home has let go. */
    void dropped(int server, TakeoverMessage.Dropped of) {
        Start from = starts.get(server);
        if (from != null) {
            from.clear.remove(new Whole(of.clientId(), of.changes()));
        }
    }
}
