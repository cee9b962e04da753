package io.godwit.core.routing;

import io.godwit.core.message.Message;
import io.godwit.core.packet.KeyedHash;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.settings.LimitSettings;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Iterator;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The retained messages of the node. Only the thread that owns it calls it and its scans.
 *
 * <p>A topic is found by hash, so a message that replaces another costs one look-up; the topics
 * also stand in the order of their bytes, so that a scan can stop anywhere and go on by key,
 * whatever was added and removed meanwhile, and can jump over what its filter does not match.
 *
 * <p><i>Memory.</i> 80 to 120 bytes per topic besides the message.
 */
public final class RetainedStore {
    static final Comparator<OrderedTopic> BY_BYTES = (a, b) -> Arrays.compareUnsigned(a.key, b.key);

    private final int messagesMax;
    private final long bytesMax;
    private final SegmentedTable<RetainedNode> byTopic;
    private final TreeSet<OrderedTopic> ordered = new TreeSet<>(BY_BYTES);
    private long bytes;

    /** How many messages can expire; with none there is nothing to sweep. */
    private int expiring;

    /** The bytes after which the sweep goes on. */
    private OrderedTopic swept = new Position(new byte[0]);

    /** A key to look for. */
    static final class Position extends OrderedTopic {
        Position(byte[] key) {
            super(key);
        }
    }

    /**
     * @param hash of the topics, which strangers choose
     */
    public RetainedStore(LimitSettings limits, KeyedHash hash) {
        byTopic = new SegmentedTable<>(hash);
        messagesMax = limits.retainedMessages();
        bytesMax = limits.retainedBytes();
    }

    /**
     * Makes a message the retained one of its topic, in place of an earlier one; one without
     * payload deletes it [MQTT-3.3.1-5, -6, -7].
     *
     * @param version of the topic index, see {@link Retained#version}
     */
    public RetainedOutcome put(Message message, long version) {
        RetainedNode node = find(message.topic);
        if (message.payload.length == 0) {
            if (node == null) {
                return RetainedOutcome.NOTHING_TO_REMOVE;
            }
            remove(node);
            return RetainedOutcome.REMOVED;
        }
        long freed = node == null ? 0 : node.message.accountedBytes();
        boolean tooMany = node == null && size() >= messagesMax;
        boolean grows = message.accountedBytes() > freed; // else it is not what is too much
        if (tooMany || grows && bytes - freed + message.accountedBytes() > bytesMax) {
            if (node != null) {
                remove(node);
            }
            return RetainedOutcome.REFUSED;
        }
        if (node == null) {
            add(message, version);
            return RetainedOutcome.ADDED;
        }
        count(message, 1);
        count(node.message, -1);
        node.replace(message, version);
        byTopic.put(node.key, node);
        return RetainedOutcome.REPLACED;
    }

    /**
     * Takes up a message that was kept: limits refuse what is new, and never what was acknowledged.
     *
     * @param message of a topic that has none
     */
    public void restore(Message message, long version) {
        add(message, version);
    }

    private void add(Message message, long version) {
        RetainedNode node = new RetainedNode(message, version);
        byTopic.put(node.key, node);
        ordered.add(node);
        count(message, 1);
    }

    /** Whether the limits are smaller than what was taken up at start. */
    public boolean isAboveLimits() {
        return size() > messagesMax || bytes > bytesMax;
    }

    /**
     * @param nowMs epoch milliseconds; what has expired is not returned
     */
    public @Nullable Retained get(Topic topic, long nowMs) {
        RetainedNode node = find(topic);
        return node == null || node.message.isExpired(nowMs)
                ? null
                : new Retained(node.message, node.version);
    }

    /**
     * A cursor over the messages whose topic the filter matches, in the order of the topics' bytes.
     * Changes of the store between two of its slices do no harm: what stays is seen once, what
     * comes or goes meanwhile may be seen.
     *
     * @param filter not a shared one: these get no retained messages
     */
    public RetainedScan scan(TopicFilter filter) {
        return new RetainedScan(ordered, filter, null);
    }

    /**
     * Returns a cursor as {@link #scan(TopicFilter)} does, over the topics behind one of them.
     *
     * @param after topic that need not have a message
     */
    public RetainedScan scan(TopicFilter filter, Topic after) {
        return new RetainedScan(ordered, filter, after);
    }

    /**
     * Looks at the next topics, around in a circle, and removes what has expired.
     *
     * @param nowMs epoch milliseconds
     * @param expired told of each that was removed
     * @return how many were removed
     */
    public int sweep(long nowMs, int maxSteps, Consumer<Message> expired) {
        int removed = 0;
        int steps = Math.min(maxSteps, ordered.size());
        while (steps > 0 && expiring > 0) {
            Iterator<OrderedTopic> nodes = ordered.tailSet(swept, false).iterator();
            while (steps > 0 && nodes.hasNext()) {
                RetainedNode node = (RetainedNode) nodes.next();
                swept = node;
                steps--;
                if (node.message.isExpired(nowMs)) {
                    nodes.remove();
                    forget(node);
                    expired.accept(node.message);
                    removed++;
                }
            }
            if (!nodes.hasNext()) {
                swept = new Position(new byte[0]);
            }
        }
        return removed;
    }

    /** How many messages there are, expired ones that were not swept yet included. */
    public int size() {
        return ordered.size();
    }

    /** The {@link Message#accountedBytes} of all messages. */
    public long bytes() {
        return bytes;
    }

    private @Nullable RetainedNode find(Topic topic) {
        return byTopic.find(topic.bytes());
    }

    private void remove(RetainedNode node) {
        ordered.remove(node);
        forget(node);
    }

    private void forget(RetainedNode node) {
        byTopic.remove(node.key);
        count(node.message, -1);
    }

    private void count(Message message, int sign) {
        bytes += (long) sign * message.accountedBytes();
        if (message.expiresAtMs != Message.NEVER) {
            expiring += sign;
        }
    }
}
