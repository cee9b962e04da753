package io.godwit.core.routing;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import java.nio.charset.StandardCharsets;

/** A session that is only its reference. */
public final class TestSession extends SessionRef {
    public TestSession(int number) {
        this("c" + number, number, true);
    }

    public TestSession(String clientId, long generation, boolean durable) {
        super(new ClientId(clientId.getBytes(StandardCharsets.UTF_8)), generation, 0, durable);
    }

    public Subscription to(String filter) {
        return to(filter, 1);
    }

    public Subscription to(String filter, int qos, int... ids) {
        return new Subscription(this, TopicFilter.of(filter), qos, false, false, ids);
    }

    Subscription noLocalTo(String filter, int qos, int... ids) {
        return new Subscription(this, TopicFilter.of(filter), qos, true, false, ids);
    }

    @Override
    public String toString() {
        return clientId().toString();
    }
}
