package io.godwit.persistence.health;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What could not be read while the broker runs: those queues are closed, everything else goes on.
 * Any thread.
 */
public final class StoreDamage {
    private static final Logger LOG = LoggerFactory.getLogger(StoreDamage.class);

    /** Queues that are named, in the log too; those beyond are counted. */
    private static final int NAMED_MAX = 100;

    /** Beyond that they are not told apart any more: the count stays. */
    private static final int COUNTED_MAX = 100_000;

    private final Map<Long, String> named = new ConcurrentHashMap<>();
    private final Set<Long> queues = ConcurrentHashMap.newKeySet();
    private final Map<String, String> elsewhere = new ConcurrentHashMap<>();

    /** A queue could not be read; told again each time. */
    public void ofQueue(long queueId, Throwable cause) {
        if (queues.size() >= COUNTED_MAX || !queues.add(queueId) || named.size() >= NAMED_MAX) {
            return;
        }
        named.put(queueId, String.valueOf(cause.getMessage()));
        LOG.error(
                "Queue {} is damaged: {}. Its client is refused; everything else continues. To"
                        + " repair it, stop the broker and use 'godwit store verify' and 'godwit"
                        + " store set-aside'",
                String.format("%016x", queueId),
                cause.getMessage());
    }

    /** Whether a queue could not be read. */
    public boolean isOf(long queueId) {
        return queues.contains(queueId);
    }

    /** What belongs to no single queue could not be read; told again each time. */
    public void of(String what, Throwable cause) {
        if (elsewhere.putIfAbsent(what, String.valueOf(cause.getMessage())) == null) {
            LOG.error(
                    "The store is damaged and continues without {}: {}", what, cause.getMessage());
        }
    }

    /** The start has found it; told once. */
    public void found(String text) {
        elsewhere.put(text, text);
        LOG.error(
                "The store is damaged: {}. Affected queues are closed when they are read;"
                        + " everything else continues",
                text);
    }

    /** Queues, those that are not named included; nothing else that is damaged. */
    public int queues() {
        return queues.size();
    }

    /** Sentences without a full stop. */
    public List<String> text() {
        List<String> text = new ArrayList<>(elsewhere.values());
        text.addAll(named.values());
        return text;
    }
}
