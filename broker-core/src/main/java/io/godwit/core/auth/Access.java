package io.godwit.core.auth;

import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;

/**
 * Says what one connection may do. It is asked on the message path by the thread of the
 * connection's shard, so it answers from memory, and may remember its answers without a lock.
 */
public interface Access {
    /**
     * Grants everything but publishing to {@code $SYS}; there only a bridge may say whether it is
     * connected, as Mosquitto's do in a retained message and a will.
     */
    Access OPEN =
            new Access() {
                @Override
                public boolean mayPublish(Topic topic, int qos, boolean retain) {
                    return !topic.isSystem() || !topic.isSysTree() || isBridgeState(topic);
                }

                @Override
                public boolean maySubscribe(TopicFilter filter, int qos) {
                    return true;
                }

                private boolean isBridgeState(Topic topic) {
                    String name = topic.toString();
                    return name.startsWith("$SYS/broker/connection/") && name.endsWith("/state");
                }
            };

    /** Grants everything. */
    Access ALL = always(true);

    /** Grants nothing. */
    Access NOTHING = always(false);

    private static Access always(boolean answer) {
        return new Access() {
            @Override
            public boolean mayPublish(Topic topic, int qos, boolean retain) {
                return answer;
            }

            @Override
            public boolean maySubscribe(TopicFilter filter, int qos) {
                return answer;
            }
        };
    }

    /**
     * @param qos 0..2
     */
    boolean mayPublish(Topic topic, int qos, boolean retain);

    /**
     * @param filter whole, with {@code $share/group/} if it is shared
     * @param qos that is asked for, 0..2
     */
    boolean maySubscribe(TopicFilter filter, int qos);
}
