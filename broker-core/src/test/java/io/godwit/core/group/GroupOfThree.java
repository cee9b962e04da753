package io.godwit.core.group;

import io.godwit.core.message.Message;
import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.routing.Subscription;
import io.godwit.core.routing.TestMessage;
import io.godwit.core.routing.TestSession;
import io.godwit.core.settings.SharedStrategy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A group of three sessions that are there, with what it delivers and discards written down. */
abstract class GroupOfThree extends GroupFixture {
    static final long NOW = 1_000;

    record Delivery(String client, long entryId, String payload, int qos, int attachment) {}

    final List<Delivery> delivered = new ArrayList<>();
    final Map<Metric, List<String>> discarded = new HashMap<>();
    final TestSession a = new TestSession(1);
    final TestSession b = new TestSession(2);
    final TestSession c = new TestSession(3);
    SharedGroup group = group(SharedStrategy.ROUND_ROBIN);

    GroupOfThree() {
        super(3);
    }

    SharedGroup group(SharedStrategy strategy) {
        return newGroup("$share/g/t/#", strategy, new SplittableRandom(1));
    }

    @Override
    void onDeliver(Subscription to, int attachment, long entryId, Message m, int qos) {
        String client = to.session.clientId().toString();
        delivered.add(new Delivery(client, entryId, TestMessage.text(m), qos, attachment));
    }

    @Override
    void onDiscarded(Message m, Metric cause) {
        discarded.computeIfAbsent(cause, k -> new ArrayList<>()).add(TestMessage.text(m));
    }

    void acked(TestSession session, long entryId) {
        group.acked(session, entry(entryId), NOW);
    }

    void join(TestSession session, int qos, int credit) {
        group.join(session.to("$share/g/t/#", qos), true, credit, 1, Integer.MAX_VALUE, NOW);
    }

    boolean publish(String payload, int qos) {
        return publish("t/1", payload, qos, Message.NEVER, null);
    }

    boolean publish(
            String topic, String payload, int qos, long expires, @Nullable ClientId publisher) {
        return group.publish(TestMessage.of(topic, payload, qos, expires, publisher), null, NOW);
    }

    /** What went out since the last call, such as {@code c1=x}. */
    List<String> sent() {
        List<String> sent = delivered.stream().map(d -> d.client + "=" + d.payload).toList();
        delivered.clear();
        return sent;
    }

    long entryOf(String payload) {
        return delivered.stream()
                .filter(d -> d.payload.equals(payload))
                .reduce((first, second) -> second)
                .orElseThrow()
                .entryId;
    }
}
