package io.godwit.core.store;

import io.godwit.core.id.HybridId;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is durable of the retained messages: also that, and when, some were deleted. */
public final class KeptRetained {
    private final Map<Topic, Message> messages = new HashMap<>();

    /** Of what is retained, and of what was deleted. */
    private final Map<Topic, HybridId> stamps = new LinkedHashMap<>();

    void put(Message message, HybridId stamp) {
        stamps.put(message.topic, stamp);
        messages.put(message.topic, message);
    }

    void remove(Topic topic, HybridId stamp) {
        stamps.put(topic, stamp);
        messages.remove(topic);
    }

    void recover(Recovery to) {
        stamps.forEach((topic, stamp) -> {
            Message message = messages.get(topic);
            if (message != null) {
                to.retained(FromDisk.message(message), stamp);
            } else {
                to.retainedGone(topic, stamp);
            }
        });
    }

    public @Nullable Message get(Topic topic) {
        return messages.get(topic);
    }

    /** How many there are. */
    public int size() {
        return messages.size();
    }
}
