package io.godwit.core.auth;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;

/** What a client may do; asked on the message path, so it answers from memory. */
public interface AccessControl {
    /**
     * Everybody may everything, but publish to {@code $SYS}; there only a bridge may say whether it
     * is connected, as Mosquitto's do in a retained message and a will.
     */
    AccessControl OPEN =
            new AccessControl() {
                @Override
                public boolean mayPublish(ClientId client, Topic topic) {
                    return !topic.isSystem() || !topic.isSysTree() || isBridgeState(topic);
                }

                @Override
                public boolean maySubscribe(ClientId client, TopicFilter filter) {
                    return true;
                }

                private boolean isBridgeState(Topic topic) {
                    String name = topic.toString();
                    return name.startsWith("$SYS/broker/connection/") && name.endsWith("/state");
                }
            };

    boolean mayPublish(ClientId client, Topic topic);

    boolean maySubscribe(ClientId client, TopicFilter filter);
}
