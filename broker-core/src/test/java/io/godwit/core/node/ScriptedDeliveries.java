package io.godwit.core.node;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.Topic;
import io.godwit.core.review.DeliveryOutcome;
import io.godwit.core.review.DeliveryReviewer;
import io.godwit.core.review.ReviewedPublish;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reviews what goes to clients; answers when, and what, the test says. */
final class ScriptedDeliveries implements DeliveryReviewer {
    record Asked(Subject receiver, ReviewedPublish publish, Consumer<DeliveryOutcome> answer) {
        String payload() {
            return new String(publish.payload(), StandardCharsets.UTF_8);
        }

        String receiverId() {
            return receiver.clientId().toString();
        }

        void go() {
            answer.accept(new DeliveryOutcome.Go(publish));
        }

        void go(ReviewedPublish made) {
            answer.accept(new DeliveryOutcome.Go(made));
        }

        /** Lets it go with another payload. */
        void change(String payload) {
            go(changed(publish.topic().toString(), payload, publish.retain()));
        }

        ReviewedPublish changed(String topic, String payload, boolean retain) {
            return new ReviewedPublish(
                    Topic.of(topic),
                    payload.getBytes(StandardCharsets.UTF_8),
                    publish.properties(),
                    publish.qos(),
                    retain,
                    publish.dup(),
                    publish.expirySeconds(),
                    publish.payloadIsText(),
                    publish.packetId());
        }

        void drop() {
            answer.accept(new DeliveryOutcome.Dropped());
        }

        void notAsked() {
            answer.accept(new DeliveryOutcome.NotAsked());
        }

        void fail() {
            answer.accept(new DeliveryOutcome.Failed());
        }
    }

    /** What has been asked, and not taken by the test. */
    final List<Asked> asked = new ArrayList<>();

    boolean isFull;

    /** Names a client that gets what it gets unseen. */
    String unseen = "";

    /** Takes what the next question is about, and has it fail; null: it is taken as usual. */
    @Nullable Consumer<Asked> throwing;

    /** Takes the question that was asked first. */
    Asked next() {
        return asked.removeFirst();
    }

    /** Lets everything go that was asked; returns how much that was. */
    int goAll() {
        int count = asked.size();
        while (!asked.isEmpty()) {
            next().go();
        }
        return count;
    }

    @Override
    public boolean seesDelivery(Subject receiver, Topic topic) {
        return !unseen.equals(receiver.clientId().toString())
                && !topic.toString().startsWith("unseen");
    }

    @Override
    public boolean isFull(Subject receiver) {
        return isFull;
    }

    @Override
    public void delivery(
            Subject receiver,
            ProtocolVersion version,
            ReviewedPublish publish,
            Consumer<DeliveryOutcome> answer) {
        Asked question = new Asked(receiver, publish, answer);
        Consumer<Asked> thrown = throwing;
        if (thrown != null) {
            throwing = null;
            thrown.accept(question);
            throw new IllegalStateException("the reviewer fails");
        }
        asked.add(question);
    }
}
