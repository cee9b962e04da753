package io.godwit.server.extension.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.PublishFrame;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.review.Permission;
import io.godwit.core.review.PublishOutcome;
import io.godwit.core.review.ReviewedPublish;
import io.godwit.core.review.Reviewer;
import io.godwit.core.review.SubscribeOutcome;
import io.godwit.extension.OnFailure;
import io.godwit.extension.auth.Authorization;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who is asked what clients may do, as {@code security.authorizers} says. */
class AuthorizerOrderTest {
    private final SteppedCalls.Clock clock = new SteppedCalls.Clock();
    private final SteppedCalls a = new SteppedCalls("a", clock);
    private final SteppedCalls b = new SteppedCalls("b", clock);
    private final Subject client =
            new Subject(
                    ClientId.of("c"), Identity.ANONYMOUS, new Peer("10.0.0.1:5000", false, "tcp"));
    private final List<String> asked = new ArrayList<>();

    @BeforeEach
    void each_decides_about_its_own_topic() {
        register("a", a);
        register("b", b);
    }

    private void register(String name, SteppedCalls extension) {
        extension
                .registering
                .publishAuthorizer(
                        (it, publish) -> {
                            asked.add(name);
                            return (publish.topic().equals(name)
                                            ? Authorization.allowed()
                                            : Authorization.undecided())
                                    .now();
                        },
                        OnFailure.REFUSE)
                .subscribeAuthorizer(
                        (it, subscription) -> Authorization.undecided().now(), OnFailure.REFUSE);
    }

    private Reviewer reviewer(
            List<ExtensionHooks.Running> running, @Nullable List<String> authorizers) {
        Reviewer made =
                new ExtensionHooks(running, new ReviewOrder(), 1_000, authorizers).reviewer();
        assertThat(made).isNotNull();
        return made;
    }

    /** The first one has the higher priority. */
    private List<ExtensionHooks.Running> both() {
        return List.of(b.running(1), a.running(2));
    }

    private PublishOutcome publish(Reviewer reviewer, String topic) {
        asked.clear();
        List<PublishOutcome> outcomes = new ArrayList<>();
        ReviewedPublish message =
                new ReviewedPublish(
                        Topic.of(topic),
                        new byte[0],
                        PublishFrame.NO_PROPERTIES,
                        1,
                        false,
                        false,
                        -1,
                        false,
                        1);
        assertThat(reviewer.seesPublish(client, message.topic())).isTrue();
        reviewer.publish(client, ProtocolVersion.MQTT_5, message, outcomes::add);
        runAll();
        assertThat(outcomes).hasSize(1);
        return outcomes.getFirst();
    }

    private void runAll() {
        int ran;
        do {
            ran = a.runAll() + b.runAll();
        } while (ran > 0);
    }

    private SubscribeOutcome subscribe(Reviewer reviewer) {
        List<SubscribeOutcome> outcomes = new ArrayList<>();
        Packet.Subscribe packet =
                new Packet.Subscribe(
                        1,
                        List.of(new Packet.Subscription(TopicFilter.of("x"), 0, false, false, 0)),
                        Properties.NONE);
        assertThat(reviewer.seesSubscribes(client)).isTrue();
        reviewer.subscribe(client, ProtocolVersion.MQTT_5, packet, outcomes::add);
        runAll();
        assertThat(outcomes).hasSize(1);
        return outcomes.getFirst();
    }

    private static Permission permission(PublishOutcome outcome) {
        assertThat(outcome).isInstanceOf(PublishOutcome.Go.class);
        return ((PublishOutcome.Go) outcome).permission();
    }

    @Test
    void without_names_all_are_asked_by_priority_and_then_the_rules() {
        Reviewer reviewer = reviewer(both(), null);
        assertThat(permission(publish(reviewer, "x"))).isEqualTo(Permission.BY_RULES_ALONE);
        assertThat(asked).containsExactly("a", "b");
    }

    @Test
    void names_say_who_is_asked_and_in_which_order() {
        Reviewer reviewer = reviewer(both(), List.of("b", "a", "rules"));
        assertThat(permission(publish(reviewer, "x"))).isEqualTo(Permission.BY_RULES_ALONE);
        assertThat(asked).containsExactly("b", "a");
        assertThat(permission(publish(reviewer(both(), List.of("b", "rules")), "a")))
                .isEqualTo(Permission.BY_RULES_ALONE);
        assertThat(asked).containsExactly("b");
    }

    @Test
    void without_rules_among_the_names_what_is_left_open_is_denied() {
        Reviewer reviewer = reviewer(both(), List.of("a"));
        assertThat(permission(publish(reviewer, "a"))).isEqualTo(Permission.GRANTED);
        assertThat(publish(reviewer, "x"))
                .isEqualTo(new PublishOutcome.Refused(ReasonCode.NOT_AUTHORIZED));
        assertThat(((SubscribeOutcome.Go) subscribe(reviewer)).decisions())
                .containsExactly(new SubscribeOutcome.Decision.MayNot(ReasonCode.NOT_AUTHORIZED));
    }

    @Test
    void what_one_that_does_not_run_would_have_decided_fails() {
        Reviewer reviewer = reviewer(List.of(a.running(2)), List.of("a", "b", "rules"));
        assertThat(permission(publish(reviewer, "a"))).isEqualTo(Permission.GRANTED);
        assertThat(publish(reviewer, "x")).isInstanceOf(PublishOutcome.Failed.class);
        assertThat(subscribe(reviewer)).isInstanceOf(SubscribeOutcome.Failed.class);
        assertThat(publish(reviewer(List.of(), List.of("a", "rules")), "a"))
                .isInstanceOf(PublishOutcome.Failed.class);
    }
}
