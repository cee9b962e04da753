package io.godwit.core.auth.rules;

import io.godwit.core.packet.Utf8;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Nodes by the bytes of their level. Nothing is made to find one. */
final class LevelTable {
    private byte[] @Nullable [] levels = new byte[2][];
    private @Nullable RuleNode[] nodes = new RuleNode[2];
    private int size;

    @Nullable RuleNode get(byte[] topic, int from, int to) {
        int place = Utf8.hash(topic, from, to - from) & levels.length - 1;
        while (true) {
            byte[] level = levels[place];
            if (level == null) {
                return null;
            }
            if (Arrays.equals(level, 0, level.length, topic, from, to)) {
                return nodes[place];
            }
            place = place + 1 & levels.length - 1;
        }
    }

    /** Returns the node of the level, which is made if there is none. */
    RuleNode getOrAdd(byte[] level) {
        RuleNode found = get(level, 0, level.length);
        if (found != null) {
            return found;
        }
        if (++size * 2 > levels.length) {
            grow();
        }
        RuleNode added = new RuleNode();
        put(level, added);
        return added;
    }

    private void put(byte[] level, RuleNode node) {
        int place = Utf8.hash(level, 0, level.length) & levels.length - 1;
        while (levels[place] != null) {
            place = place + 1 & levels.length - 1;
        }
        levels[place] = level;
        nodes[place] = node;
    }

    private void grow() {
        byte[] @Nullable [] oldLevels = levels;
        @Nullable RuleNode[] oldNodes = nodes;
        levels = new byte[oldLevels.length * 2][];
        nodes = new RuleNode[oldLevels.length * 2];
        for (int i = 0; i < oldLevels.length; i++) {
            byte[] level = oldLevels[i];
            RuleNode node = oldNodes[i];
            if (level != null && node != null) {
                put(level, node);
            }
        }
    }

    /** Returns all nodes, with gaps. */
    @Nullable RuleNode[] nodes() {
        return nodes;
    }
}
