package io.godwit.core.connection;

import io.godwit.core.load.ShardLoad;
import io.godwit.core.message.Message;
import io.godwit.core.message.QueuedMessage;
import io.godwit.core.settings.OverloadSettings;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * QoS 0 messages that wait while their client's socket takes nothing: up to the soft limit, and as
 * far as the node has room for them; with no such limit their publishers are slowed down.
 */
final class WaitingQos0 {
    private final ShardLoad load;
    private final ArrayDeque<Item> items = new ArrayDeque<>();

    record Item(Message message, boolean retain, int[] ids) {
        int bytes() {
            return message.accountedBytes() + QueuedMessage.idBytes(ids);
        }
    }

    WaitingQos0(ShardLoad load) {
        this.load = load;
    }

    /**
     * How many may wait with this one; 0 = any number.
     *
     * @param limit the setting
     */
    static int limit(int limit, Message message) {
        return limit == 0 && message.publisher == null
                ? OverloadSettings.DEFAULTS.qos0SoftLimit() // Nobody there to be slowed.
                : limit;
    }

    /**
     * Whether one more may wait.
     *
     * @param limit 0 = any number
     * @param waiting how many do
     */
    static boolean admits(ShardLoad load, int limit, int waiting, Message message) {
        return limit == 0 || waiting < limit && load.mayWaitQos0(message.accountedBytes());
    }

    int size() {
        return items.size();
    }

    void add(Message message, boolean retain, int[] ids) {
        Item last = new Item(message, retain, ids);
        items.add(last);
        load.waitingQos0(last.bytes(), 1);
    }

    /** Takes the first; null when there is none. */
    @Nullable Item poll() {
        Item first = items.poll();
        if (first != null) {
            load.waitingQos0(-first.bytes(), -1);
        }
        return first;
    }

    /** Nobody gets them. */
    void drop() {
        while (poll() != null) {}
    }
}
