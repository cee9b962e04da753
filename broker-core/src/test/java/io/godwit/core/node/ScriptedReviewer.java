package io.godwit.core.node;

import io.godwit.core.auth.Subject;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.SubscribeOutcome;
import io.godwit.core.review.UnsubscribeOutcome;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A reviewer that answers when, and what, the test says. */
final class ScriptedReviewer implements Reviewer {
    record AskedPublish(Subject client, ReviewedPublish publish, Consumer<PublishOutcome> answer) {
        String payload() {
            return new String(publish.payload(), StandardCharsets.UTF_8);
        }

        void go() {
            answer.accept(new PublishOutcome.Go(publish, Permission.BY_RULES));
        }

        void go(ReviewedPublish made) {
            answer.accept(new PublishOutcome.Go(made, Permission.BY_RULES));
        }

        void drop() {
            answer.accept(new PublishOutcome.Dropped());
        }

        void refuse(ReasonCode reason) {
            answer.accept(new PublishOutcome.Refused(reason));
        }

        void fail() {
            answer.accept(new PublishOutcome.Failed());
        }
    }

    record AskedWill(Subject client, Will will, Consumer<PublishOutcome> answer) {
        void go(Permission permission) {
            ReviewedPublish same =
                    new ReviewedPublish(
                            will.topic(),
                            will.payload(),
                            PublishFrame.NO_PROPERTIES,
                            will.qos(),
                            will.retain(),
                            false,
                            -1,
                            false,
                            0);
            answer.accept(new PublishOutcome.Go(same, permission));
        }
    }

    record AskedSubscribe(
            Subject client, Packet.Subscribe subscribe, Consumer<SubscribeOutcome> answer) {}

    final List<AskedPublish> publishes = new ArrayList<>();
    final List<AskedWill> wills = new ArrayList<>();
    final List<AskedSubscribe> subscribes = new ArrayList<>();
    boolean seesWills;
    boolean seesSubscribes;
    boolean isFull;

    @Override
    public boolean seesPublish(Subject client, Topic topic) {
        return !topic.toString().startsWith("unseen");
    }

    @Override
    public boolean isFull() {
        return isFull;
    }

    @Override
    public void publish(
            Subject client,
            ProtocolVersion version,
            ReviewedPublish publish,
            Consumer<PublishOutcome> answer) {
        publishes.add(new AskedPublish(client, publish, answer));
    }

    @Override
    public boolean seesWill(Subject client) {
        return seesWills;
    }

    @Override
    public void will(
            Subject client, ProtocolVersion version, Will will, Consumer<PublishOutcome> answer) {
        wills.add(new AskedWill(client, will, answer));
    }

    @Override
    public boolean seesSubscribes(Subject client) {
        return seesSubscribes;
    }

    @Override
    public void subscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Subscribe subscribe,
            Consumer<SubscribeOutcome> answer) {
        subscribes.add(new AskedSubscribe(client, subscribe, answer));
    }

    record AskedUnsubscribe(
            Subject client, Packet.Unsubscribe unsubscribe, Consumer<UnsubscribeOutcome> answer) {}

    final List<AskedUnsubscribe> unsubscribes = new ArrayList<>();
    boolean seesUnsubscribes;

    @Override
    public boolean seesUnsubscribes(Subject client) {
        return seesUnsubscribes;
    }

    @Override
    public void unsubscribe(
            Subject client,
            ProtocolVersion version,
            Packet.Unsubscribe unsubscribe,
            Consumer<UnsubscribeOutcome> answer) {
        unsubscribes.add(new AskedUnsubscribe(client, unsubscribe, answer));
    }
}
