package io.godwit.core.publish;

import io.godwit.core.codec.ProtocolViolation;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Topic Aliases that a client has set on its connection (MQTT 5.0, 3.3.2.3.4). */
final class InboundAliases {
    private final int max;
    private @Nullable Topic[] topics = new Topic[0];

    /**
     * @param max Topic Alias Maximum of CONNACK
     */
    InboundAliases(int max) {
        this.max = max;
    }

    /**
     * The topic of a PUBLISH; with both given the alias is set.
     *
     * @param topic of the packet, or null when it has none
     * @param alias of the packet, or 0 when it has none
     */
    Topic resolve(@Nullable Topic topic, int alias) {
        if (alias == 0) {
            if (topic == null) {
                throw new ProtocolViolation(
                        ReasonCode.PROTOCOL_ERROR, "neither Topic Name nor Topic Alias");
            }
            return topic;
        }
        if (alias > max) {
            throw new ProtocolViolation(
                    ReasonCode.TOPIC_ALIAS_INVALID, "Topic Alias " + alias + " above " + max);
        }
        if (topic != null) {
            set(alias, topic);
            return topic;
        }
        Topic known = alias <= topics.length ? topics[alias - 1] : null;
        if (known == null) {
            throw new ProtocolViolation(
                    ReasonCode.PROTOCOL_ERROR, "Topic Alias " + alias + " was never set");
        }
        return known;
    }

    private void set(int alias, Topic topic) {
        if (alias > topics.length) {
            topics = Arrays.copyOf(topics, Math.min(max, Math.max(alias, topics.length * 2)));
        }
        topics[alias - 1] = topic;
    }
}
