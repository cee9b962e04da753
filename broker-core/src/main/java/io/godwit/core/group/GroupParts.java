package io.godwit.core.group;

import io.godwit.core.queue.PartQueue;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The parts of a group's queue, each made when its first message comes. */
final class GroupParts {
    static final int COUNT = 16;

    private final @Nullable PartQueue[] parts = new PartQueue[COUNT];

    @Nullable PartQueue get(int part) {
        return parts[part];
    }

    void set(int part, PartQueue queue) {
        parts[part] = queue;
    }

    void forEach(Consumer<PartQueue> each) {
        for (PartQueue part : parts) {
            if (part != null) {
                each.accept(part);
            }
        }
    }

    boolean isEmpty() {
        for (PartQueue part : parts) {
            if (part != null && !part.isEmpty()) {
                return false;
            }
        }
        return true;
    }

    long messages() {
        long sum = 0;
        for (PartQueue part : parts) {
            sum += part == null ? 0 : part.messages();
        }
        return sum;
    }

    long bytes() {
        long sum = 0;
        for (PartQueue part : parts) {
            sum += part == null ? 0 : part.bytes();
        }
        return sum;
    }

    /** Bytes of what is in memory. */
    long memoryBytes() {
        long sum = 0;
        for (PartQueue part : parts) {
            sum += part == null ? 0 : part.memoryBytes();
        }
        return sum;
    }

    /** The part with what has waited longest; null when nothing waits. */
    @Nullable PartQueue oldest() {
        PartQueue oldest = null;
        for (PartQueue part : parts) {
            if (part != null && !part.isEmpty() && (oldest == null || part.isBefore(oldest))) {
                oldest = part;
            }
        }
        return oldest;
    }

    void remove(int part) {
        parts[part] = null;
    }

    void clear() {
        Arrays.fill(parts, null);
    }
}
