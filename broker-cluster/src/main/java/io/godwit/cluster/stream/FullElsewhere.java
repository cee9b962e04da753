package io.godwit.cluster.stream;

import io.godwit.core.ack.Receipt;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Targets of a stream's node that hold more than their part, each known by the position of a record
 * that went there: whoever published it waits until the node says that the target has drained, or
 * cannot say so.
 */
final class FullElsewhere {
    private final Map<Long, Full> full = new HashMap<>(0);

    private static final class Full implements BooleanSupplier {
        private volatile boolean is = true;

        @Override
        public boolean getAsBoolean() {
            return is;
        }
    }

    /**
     * The record at this position, which is not answered yet, has gone to a full target.
     *
     * @param receipt of who published it; null when nobody is there to wait
     */
    void add(long position, @Nullable Receipt receipt) {
        if (receipt != null) {
            Full made = new Full();
            receipt.feedsFull(made);
            full.put(position, made);
        }
    }

    void eased(long[] positions) {
        for (long position : positions) {
            Full known = full.remove(position);
            if (known != null) {
                known.is = false;
            }
        }
    }

    /** The node has no link or is not heard: it will not say that anything has eased. */
    void clear() {
        full.values().forEach(each -> each.is = false);
        full.clear();
    }
}
