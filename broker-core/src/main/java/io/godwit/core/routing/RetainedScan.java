package io.godwit.core.routing;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over the retained messages that a filter matches, taken in slices. Owner thread only.
 *
 * <p>The topics lie in the order of their bytes, so all that begin with the same levels lie
 * together. A topic that does not match tells where the next one that may match can lie at the
 * earliest, and the scan jumps there: past a whole branch, or to the level that the filter names.
 * The position between two slices is bytes, not a place in the tree.
 */
public final class RetainedScan {
    private enum Verdict {
        MATCH,
        NEXT,
        /** The scan goes on at {@link #target}. */
        JUMP,
        END
    }

    private static final byte[] NOTHING = new byte[0];
    private static final byte[] MULTI = {'#'};
    private static final byte[] SINGLE = {'+'};

    /** The first bytes after all topics that begin with {@code $}. */
    private static final byte[] PAST_SYSTEM = {'$' + 1};

    private final NavigableSet<OrderedTopic> ordered;
    private final byte[][] levels;
    private final boolean multi;

    /** The bytes at which the scan goes on. */
    private byte[] position = NOTHING;

    private boolean inclusive = true;
    private boolean done;
    private byte[] target = NOTHING;

    /**
     * @param after where the scan begins, without this topic; null: at the first
     */
    RetainedScan(NavigableSet<OrderedTopic> ordered, TopicFilter filter, @Nullable Topic after) {
        this.ordered = ordered;
        if (after != null) {
            position = after.bytes();
            inclusive = false;
        }
        this.levels = levels(filter.bytes());
        this.multi = Arrays.equals(levels[levels.length - 1], MULTI);
    }

    /**
     * Looks at the next topics.
     *
     * @param maxSteps topics to look at in this slice; one costs up to some microseconds
     * @param nowMs epoch milliseconds; what has expired is left out
     * @param consumer gets what matches; does not change the store
     * @return how many messages it got
     */
    public int next(int maxSteps, long nowMs, Consumer<Retained> consumer) {
        int found = 0;
        int steps = maxSteps;
        while (steps > 0 && !done) {
            Iterator<OrderedTopic> nodes =
                    ordered.tailSet(new RetainedStore.Position(position), inclusive).iterator();
            Verdict verdict = Verdict.NEXT;
            while (steps > 0 && (verdict == Verdict.NEXT || verdict == Verdict.MATCH)) {
                if (!nodes.hasNext()) {
                    verdict = Verdict.END;
                    break;
                }
                RetainedNode node = (RetainedNode) nodes.next();
                steps--;
                position = node.key;
                inclusive = false;
                verdict = look(node.key);
                if (verdict == Verdict.MATCH && !node.message.isExpired(nowMs)) {
                    consumer.accept(new Retained(node.message, node.version));
                    found++;
                }
            }
            if (verdict == Verdict.JUMP) {
                position = target;
                inclusive = true;
            }
            done = verdict == Verdict.END;
        }
        return found;
    }

    public boolean isDone() {
        return done;
    }

    private Verdict look(byte[] topic) {
        if (topic[0] == '$' && isWildcard(levels[0])) {
            return jump(PAST_SYSTEM); // [MQTT-4.7.2-1]
        }
        int concrete = multi ? levels.length - 1 : levels.length;
        int from = 0;
        for (int i = 0; i < concrete; i++) {
            if (from > topic.length) {
                return Verdict.NEXT; // too few levels
            }
            int to = Levels.end(topic, from);
            byte[] level = levels[i];
            if (!Arrays.equals(level, SINGLE)
                    && !Arrays.equals(topic, from, to, level, 0, level.length)) {
                return toLevel(topic, from, i);
            }
            from = to + 1;
        }
        return multi || from > topic.length ? Verdict.MATCH : pastBranch(topic, from);
    }

    /**
     * Finds where the filter's level can lie, since the level that begins at {@code from} is
     * another one.
     */
    private Verdict toLevel(byte[] topic, int from, int i) {
        byte[] level = levels[i];
        boolean mayEnd = i == levels.length - 1 || multi && i == levels.length - 2;
        boolean mayGoOn = i < levels.length - 1;
        byte[] to = Arrays.copyOf(topic, from + level.length);
        System.arraycopy(level, 0, to, from, level.length);
        if (mayEnd && Arrays.compareUnsigned(to, topic) > 0) {
            return jump(to);
        }
        if (mayGoOn) {
            to = Arrays.copyOf(to, to.length + 1);
            to[to.length - 1] = '/';
            if (Arrays.compareUnsigned(to, topic) > 0) {
                return jump(to);
            }
        }
        return pastBranch(topic, from);
    }

    /**
     * Jumps to the first bytes after all topics that share those before {@code from}, slash
     * included.
     */
    private Verdict pastBranch(byte[] topic, int from) {
        if (from == 0) {
            return Verdict.END;
        }
        byte[] to = Arrays.copyOf(topic, from);
        to[from - 1] = '/' + 1;
        return jump(to);
    }

    private Verdict jump(byte[] to) {
        target = to;
        return Verdict.JUMP;
    }

    private static boolean isWildcard(byte[] level) {
        return Arrays.equals(level, SINGLE) || Arrays.equals(level, MULTI);
    }

    private static byte[][] levels(byte[] filter) {
        List<byte[]> levels = new ArrayList<>();
        for (int from = 0; from <= filter.length; ) {
            int to = Levels.end(filter, from);
            levels.add(Arrays.copyOfRange(filter, from, to));
            from = to + 1;
        }
        return levels.toArray(new byte[0][]);
    }
}
