package io.godwit.core.routing;

import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;

public final class SharedGroup extends SharedGroupRef {
    public SharedGroup(TopicFilter filter, int owner) {
        super(filter, owner);
    }

    public void join(Subscription s, boolean online, int credit) {}

    public void leave(SessionRef s) {}

    public void online(SessionRef s, int credit, long epoch) {}

    public void offline(SessionRef s) {}

    public void acked(SessionRef s, long entry) {}

    public void publish(Message m, long nowMs) {}
}
