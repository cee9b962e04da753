package io.godwit.core.auth.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.auth.Access;
import io.godwit.core.auth.ClientSettings;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Peer;
import io.godwit.core.auth.PeerTls;
import io.godwit.core.auth.Subject;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.TopicFilter;
import io.godwit.extension.access.AccessRule;
import io.godwit.extension.access.AccessRule.Action;
import io.godwit.extension.access.AccessRules;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class AccessListTest {
    private static final AccessRule ALLOW_ALL = AccessRule.allow().build();

    private static AccessList list(AccessRule... rules) {
        return list(new AccessRules(List.of(rules), Map.of()));
    }

    private static AccessList list(AccessRules rules) {
        try {
            return AccessList.of(rules);
        } catch (RuleMistake mistake) {
            throw new AssertionError(mistake);
        }
    }

    private static Subject subject(String clientId, @Nullable String user, String... groups) {
        return new Subject(
                ClientId.of(clientId),
                new Identity(user, Arrays.asList(groups), Map.of(), null, 0, ClientSettings.NODE),
                new Peer("10.1.2.3:50412", false, "mqtt"));
    }

    private static Access access(AccessList list, String clientId, @Nullable String user) {
        return list.of(subject(clientId, user));
    }

    @Test
    void values_of_placeholders_are_made_only_where_a_topic_has_one() {
        AccessList without =
                list(
                        AccessRule.allow(Action.PUBLISH).topic("a/+", "b%%/#").build(),
                        AccessRule.allow(Action.SUBSCRIBE).user("u").build());
        assertThat(without.values(subject("c", "u"))).isSameAs(PlaceholderValues.NONE);
        assertThat(publishes(access(without, "c", "u"), "b%/x")).isTrue();

        AccessList with =
                list(
                        AccessRule.allow(Action.PUBLISH).topic("a").build(),
                        AccessRule.allow(Action.SUBSCRIBE).topic("b", "x/d-%u").build());
        assertThat(with.values(subject("c", "u")).get(TopicLevel.Placeholder.USER_NAME))
                .isEqualTo(new byte[] {'u'});
    }

    private static boolean publishes(Access access, String topic) {
        return access.mayPublish(Topic.of(topic), 1, false);
    }

    private static boolean subscribes(Access access, String filter) {
        return access.maySubscribe(TopicFilter.of(filter), 1);
    }

    @Nested
    class Order {
        @Test
        void list_without_rules_denies_messages_and_lets_clients_connect() {
            AccessList list = list();
            Access access = access(list, "c", "u");

            assertThat(publishes(access, "a")).isFalse();
            assertThat(subscribes(access, "a")).isFalse();
            assertThat(list.mayConnect(subject("c", "u"))).isTrue();
        }

        @Test
        void first_rule_that_matches_decides() {
            AccessRule deny = AccessRule.deny(Action.PUBLISH).topic("a/+").build();

            assertThat(publishes(access(list(deny, ALLOW_ALL), "c", null), "a/b")).isFalse();
            assertThat(publishes(access(list(deny, ALLOW_ALL), "c", null), "a/b/c")).isTrue();
            assertThat(publishes(access(list(ALLOW_ALL, deny), "c", null), "a/b")).isTrue();
        }

        @Test
        void rule_without_topic_is_for_system_topics_too_and_a_wildcard_is_not() {
            AccessRule all = AccessRule.allow(Action.PUBLISH).build();
            AccessRule hash = AccessRule.allow(Action.PUBLISH).topic("#").build();
            AccessRule plus = AccessRule.allow(Action.PUBLISH).topic("+/x").build();

            assertThat(publishes(access(list(all), "c", null), "$SYS/x")).isTrue();
            assertThat(publishes(access(list(hash), "c", null), "$SYS/x")).isFalse();
            assertThat(publishes(access(list(plus), "c", null), "$SYS/x")).isFalse();
        }

        @Test
        void qos_and_retain_are_conditions() {
            AccessRule rule =
                    AccessRule.allow(Action.PUBLISH).topic("a").qos(0, 1).retain(false).build();
            Access access = access(list(rule), "c", null);
            Topic topic = Topic.of("a");

            assertThat(access.mayPublish(topic, 0, false)).isTrue();
            assertThat(access.mayPublish(topic, 1, false)).isTrue();
            assertThat(access.mayPublish(topic, 2, false)).isFalse();
            assertThat(access.mayPublish(topic, 1, true)).isFalse();
            assertThat(access.mayPublish(topic, 1, false)).isTrue();
        }
    }

    @Nested
    class Subscriptions {
        @Test
        void denial_matches_every_filter_that_overlaps_it() {
            AccessList list =
                    list(
                            AccessRule.deny(Action.SUBSCRIBE).topic("secret/#").build(),
                            AccessRule.allow(Action.SUBSCRIBE).topic("#").build());
            Access access = access(list, "c", null);

            for (String each :
                    List.of("#", "+/plan", "secret", "secret/a", "+", "secret/#", "+/#")) {
                assertThat(subscribes(access, each)).as(each).isFalse();
                assertThat(subscribes(access, "$share/g/" + each)).as(each).isFalse();
            }
            assertThat(subscribes(access, "open/#")).isTrue();
            assertThat(subscribes(access, "$SYS/#")).isFalse();
        }

        @Test
        void permission_matches_a_filter_only_if_it_covers_it() {
            Access access =
                    access(
                            list(AccessRule.allow(Action.SUBSCRIBE).topic("a/+").build()),
                            "c",
                            null);

            assertThat(subscribes(access, "a/+")).isTrue();
            assertThat(subscribes(access, "a/b")).isTrue();
            assertThat(subscribes(access, "a/#")).isFalse();
            assertThat(subscribes(access, "+/b")).isFalse();
        }

        @Test
        void share_chooses_among_shared_and_other_subscriptions() {
            Access none = allowing("none");
            Access any = allowing("any");
            Access team = allowing("team-*");

            assertThat(List.of(subscribes(none, "a"), subscribes(none, "$share/team-1/a")))
                    .containsExactly(true, false);
            assertThat(List.of(subscribes(any, "a"), subscribes(any, "$share/team-1/a")))
                    .containsExactly(true, true);
            assertThat(
                            List.of(
                                    subscribes(team, "a"),
                                    subscribes(team, "$share/team-1/a"),
                                    subscribes(team, "$share/x/a")))
                    .containsExactly(false, true, false);
        }

        @Test
        void denial_with_share_leaves_others_alone() {
            AccessList list =
                    list(AccessRule.deny(Action.SUBSCRIBE).share("jobs").build(), ALLOW_ALL);
            Access access = access(list, "c", null);

            assertThat(subscribes(access, "$share/jobs/a")).isFalse();
            assertThat(subscribes(access, "$share/other/a")).isTrue();
            assertThat(subscribes(access, "a")).isTrue();
        }

        private Access allowing(String share) {
            return access(
                    list(AccessRule.allow(Action.SUBSCRIBE).topic("a").share(share).build()),
                    "c",
                    null);
        }
    }

    @Nested
    class Placeholders {
        private final AccessList own =
                list(AccessRule.allow().topic("d/%c/#", "u/dev-%u/+").build());

        @Test
        void values_of_the_client_take_their_place() {
            Access access = access(own, "c1", "ann");

            assertThat(publishes(access, "d/c1/x")).isTrue();
            assertThat(publishes(access, "d/c2/x")).isFalse();
            assertThat(publishes(access, "u/dev-ann/x")).isTrue();
            assertThat(publishes(access, "u/dev-bob/x")).isFalse();
            assertThat(subscribes(access, "d/c1/#")).isTrue();
            assertThat(subscribes(access, "d/+/#")).isFalse();
        }

        @Test
        void unusable_value_gives_nothing() {
            for (String each : List.of("", "#", "+", "a/b", "a+", "x#")) {
                Access access = access(own, each, null);
                for (String topic : List.of("d/c1/x", "d/#/x", "d/+/x", "d/a/b", "d//x", "d")) {
                    if (topic.indexOf('#') < 0 && topic.indexOf('+') < 0) {
                        assertThat(publishes(access, topic)).as(each + " " + topic).isFalse();
                    }
                    assertThat(subscribes(access, topic)).as(each + " " + topic).isFalse();
                }
                assertThat(subscribes(access, "d/#")).isFalse();
            }
        }

        @Test
        void denial_with_an_unusable_value_is_for_all_below_the_levels_before() {
            AccessList list =
                    list(
                            AccessRule.deny().topic("d/%c/secret").build(),
                            AccessRule.allow().topic("#").build());

            assertThat(publishes(access(list, "c1", null), "d/c2/x")).isTrue();
            assertThat(publishes(access(list, "c1", null), "d/c1/secret")).isFalse();
            for (String each : List.of("", "#", "+", "a/b")) {
                Access access = access(list, each, null);
                assertThat(publishes(access, "d/c2/x")).as(each).isFalse();
                assertThat(publishes(access, "d")).as(each).isFalse();
                assertThat(publishes(access, "e/c2")).as(each).isTrue();
                assertThat(subscribes(access, "d/c2/x")).as(each).isFalse();
                assertThat(subscribes(access, "e/c2")).as(each).isTrue();
            }
        }

        @Test
        void value_that_begins_with_a_dollar_does_not_lead_into_another_tree() {
            AccessList list = list(AccessRule.allow().topic("%c/#").build());

            assertThat(publishes(access(list, "c1", null), "c1/x")).isTrue();
            assertThat(publishes(access(list, "$SYS", null), "$SYS/x")).isFalse();
            assertThat(subscribes(access(list, "$SYS", null), "$SYS/#")).isFalse();
            assertThat(publishes(access(own, "$SYS", null), "d/$SYS/x")).isTrue();
        }

        @Test
        void value_is_not_read_as_a_placeholder_again() {
            assertThat(publishes(access(own, "%u", "ann"), "d/ann/x")).isFalse();
            assertThat(publishes(access(own, "%u", "ann"), "d/%u/x")).isTrue();
        }

        @Test
        void values_of_64_KiB_and_with_control_characters_are_values() {
            String large = "x".repeat(65_535);
            String odd = "a\u0001\n\u007f\u00e9\ud83d\ude00";

            assertThat(publishes(access(own, large, large), "d/" + "x".repeat(65_533))).isFalse();
            assertThat(
                            publishes(
                                    access(
                                            list(AccessRule.allow().topic("%c").build()),
                                            large,
                                            null),
                                    large))
                    .isTrue();
            assertThat(publishes(access(own, odd, null), "d/" + odd + "/x")).isTrue();
            assertThat(publishes(access(own, odd, null), "d/a/x")).isFalse();
        }

        @Test
        void two_percent_signs_stand_for_one() {
            Access access = access(list(AccessRule.allow().topic("a/50%%c").build()), "c1", null);

            assertThat(publishes(access, "a/50%c")).isTrue();
            assertThat(publishes(access, "a/50c1")).isFalse();
        }
    }

    @Nested
    class Connecting {
        @Test
        void rule_about_connecting_makes_all_others_denied() {
            AccessList list = list(AccessRule.allow(Action.CONNECT).user("ann").build());

            assertThat(list.mayConnect(subject("c", "ann"))).isTrue();
            assertThat(list.mayConnect(subject("c", "bob"))).isFalse();
            assertThat(list.mayConnect(subject("c", null))).isFalse();
        }

        @Test
        void rule_for_all_with_a_topic_is_not_about_connecting() {
            AccessList list = list(AccessRule.deny().topic("secret/#").build());

            assertThat(list.mayConnect(subject("c", "ann"))).isTrue();
            assertThat(AccessRule.deny().topic("a").build().actions())
                    .containsExactly(Action.PUBLISH, Action.SUBSCRIBE);
        }

        @Test
        void client_id_must_be_the_user_name() {
            AccessList list = list(AccessRule.allow(Action.CONNECT).client("%u").build());

            assertThat(list.mayConnect(subject("ann", "ann"))).isTrue();
            assertThat(list.mayConnect(subject("bob", "ann"))).isFalse();
            assertThat(list.mayConnect(subject("ann", null))).isFalse();
            assertThat(list.mayConnect(subject("%u", "ann"))).isFalse();
            assertThat(list.mayConnect(subject("a*", "a*"))).isTrue();
            assertThat(list.mayConnect(subject("ab", "a*"))).isFalse();
        }

        @Test
        void denial_by_user_name_is_not_evaded_by_a_client_without_one() {
            AccessList list =
                    list(AccessRule.deny(Action.CONNECT).client("x-%u").build(), ALLOW_ALL);

            assertThat(list.mayConnect(subject("x-ann", "bob"))).isTrue();
            assertThat(list.mayConnect(subject("x-ann", null))).isFalse();
        }

        @Test
        void groups_are_of_the_list_and_of_the_authenticator() {
            AccessList list =
                    list(
                            new AccessRules(
                                    List.of(
                                            AccessRule.allow(Action.CONNECT)
                                                    .group("fleet")
                                                    .build()),
                                    Map.of("fleet", List.of("dev-*", "boss"))));

            assertThat(list.mayConnect(subject("c", "dev-1"))).isTrue();
            assertThat(list.mayConnect(subject("c", "boss"))).isTrue();
            assertThat(list.mayConnect(subject("c", "ann"))).isFalse();
            assertThat(list.mayConnect(subject("c", "ann", "fleet"))).isTrue();
            assertThat(list.mayConnect(subject("c", null, "fleet"))).isTrue();
        }

        @Test
        void address_listener_and_certificate_are_conditions() {
            AccessList list =
                    list(
                            AccessRule.allow(Action.CONNECT)
                                    .address("10.0.0.0/8", "fd00::/8")
                                    .listener("tls-*")
                                    .certificate(true)
                                    .build());

            assertThat(list.mayConnect(from("10.9.9.9:1", "tls-a", true))).isTrue();
            assertThat(list.mayConnect(from("[fd01::2]:1", "tls-a", true))).isTrue();
            assertThat(list.mayConnect(from("11.9.9.9:1", "tls-a", true))).isFalse();
            assertThat(list.mayConnect(from("10.9.9.9:1", "mqtt", true))).isFalse();
            assertThat(list.mayConnect(from("10.9.9.9:1", "tls-a", false))).isFalse();
        }

        private Subject from(String address, String listener, boolean hasCertificate) {
            return new Subject(
                    ClientId.of("c"),
                    Identity.ANONYMOUS,
                    new Peer(
                            address,
                            false,
                            listener,
                            new PeerTls(null, null, hasCertificate, null)));
        }
    }

    @Nested
    class Mistakes {
        @Test
        void topics_addresses_groups_and_shares_that_are_none_are_named() {
            for (String each : List.of("", "a/#/b", "a#", "+a", "a/b+", "%x", "%", "$share/g/a")) {
                assertMistake(AccessRule.allow(Action.PUBLISH).topic("ok", each), "topic", each);
            }
            for (String each :
                    List.of("10.0.0.0/33", "10.0.0", "host", "::1/129", "10.0.0.0/", "1::2::3")) {
                assertMistake(AccessRule.allow().address(each), "address", each);
            }
            assertMistake(AccessRule.allow().group("nobody"), "group", "nobody");
            assertMistake(AccessRule.allow().client("%c"), "client", "%c");
            assertMistake(AccessRule.allow().share("a/b"), "share", "a/b");
            assertMistake(AccessRule.allow().topic("a/".repeat(200)), "topic", "a/".repeat(200));
        }

        private void assertMistake(AccessRule.Builder rule, String key, String value) {
            assertThatThrownBy(() -> AccessList.of(AccessRules.of(ALLOW_ALL, rule.build())))
                    .isInstanceOfSatisfying(
                            RuleMistake.class,
                            mistake -> {
                                assertThat(mistake.rule()).isEqualTo(1);
                                assertThat(mistake.key()).isEqualTo(key);
                                assertThat(mistake.value()).isEqualTo(value);
                                assertThat(mistake.getMessage()).contains("allowed");
                            });
        }

        @Test
        void conditions_that_an_action_does_not_have_are_refused() {
            assertThatThrownBy(() -> AccessRule.allow(Action.CONNECT).topic("a").build())
                    .hasMessageContaining("topic is not for connect");
            assertThatThrownBy(() -> AccessRule.allow(Action.SUBSCRIBE).retain(true).build())
                    .hasMessageContaining("retain is not for subscribe");
            assertThatThrownBy(() -> AccessRule.allow(Action.PUBLISH).share("none").build())
                    .hasMessageContaining("share is not for publish");
            assertThatThrownBy(() -> AccessRule.allow().retain(true).share("none").build())
                    .hasMessageContaining("no rule can have both");
            assertThatThrownBy(() -> AccessRule.allow().qos(3).build())
                    .hasMessageContaining("qos 3");
        }

        @Test
        void more_patterns_than_can_be_tried_are_refused() {
            String[] patterns = new String[AccessList.TRIED_MAX + 1];
            Arrays.setAll(patterns, i -> "user-*" + i);

            assertThatThrownBy(() ->
                            AccessList.of(
                                    AccessRules.of(AccessRule.allow().user(patterns).build())))
                    .isInstanceOf(RuleMistake.class)
                    .hasMessageContaining("10000 are allowed");
        }
    }

    @Nested
    class Explained {
        @Test
        void decision_names_the_rule_and_the_condition_that_each_one_before_missed() {
            AccessList list =
                    list(
                            AccessRule.allow(Action.CONNECT).build(),
                            AccessRule.allow(Action.PUBLISH).user("bob").build(),
                            AccessRule.allow(Action.PUBLISH).topic("x/#").build(),
                            AccessRule.allow(Action.PUBLISH).topic("d/%c/#").qos(0).build(),
                            AccessRule.deny(Action.PUBLISH).topic("d/#").build(),
                            ALLOW_ALL);
            Decision decision =
                    list.explainPublish(subject("c1", "ann"), Topic.of("d/c1/x"), 1, false);

            assertThat(decision.isAllowed()).isFalse();
            assertThat(decision.rule()).isEqualTo(4);
            assertThat(decision.unmet()).containsExactly("action", "user", "topic", "qos");
        }

        @Test
        void decision_without_a_rule_is_a_denial() {
            AccessList list = list(AccessRule.allow(Action.SUBSCRIBE).topic("a").build());
            Decision decision = list.explainSubscribe(subject("c1", "ann"), TopicFilter.of("+"), 0);

            assertThat(decision.isAllowed()).isFalse();
            assertThat(decision.rule()).isEqualTo(-1);
            assertThat(decision.unmet()).containsExactly("topic");
            assertThat(list.explainConnect(subject("c1", "ann")).isConnectFree()).isTrue();
        }
    }

    @Nested
    class Bytes {
        @Test
        void list_of_an_identity_travels() throws RuleMistake {
            AccessList list =
                    AccessList.ofIdentity(
                            new AccessRules(
                                    List.of(
                                            AccessRule.allow(Action.PUBLISH, Action.SUBSCRIBE)
                                                    .user("ann*")
                                                    .group("g")
                                                    .client("%u")
                                                    .address("::1")
                                                    .listener("tls")
                                                    .certificate(false)
                                                    .topic("a/%c", "b")
                                                    .qos(0, 2)
                                                    .build(),
                                            AccessRule.deny(Action.PUBLISH).retain(true).build(),
                                            AccessRule.deny(Action.SUBSCRIBE).share("g*").build(),
                                            ALLOW_ALL),
                                    Map.of("g", List.of("x", "y*"))));
            ByteWriter bytes = new ByteWriter(16);
            list.write(bytes);
            AccessList read = AccessList.read(new ByteReader(bytes.toBytes()));

            for (int i = 0; i < 3; i++) {
                assertThat(read.rule(i)).hasToString(list.rule(i).toString());
            }
            assertThat(read.rule(3).actions()).isEqualTo(list.rule(3).actions());
            assertThat(read.groups()).isEqualTo(1);
        }

        @Test
        void what_is_cut_short_or_too_long_or_no_list_is_refused() throws RuleMistake {
            AccessList list =
                    AccessList.of(AccessRules.of(AccessRule.allow().topic("a/b").build()));
            ByteWriter bytes = new ByteWriter(16);
            list.write(bytes);
            byte[] whole = bytes.toBytes();
            for (int i = 0; i < whole.length; i++) {
                ByteReader cut = new ByteReader(Arrays.copyOf(whole, i));
                assertThatThrownBy(() -> AccessList.read(cut))
                        .isInstanceOf(IndexOutOfBoundsException.class);
            }
            String[] topics = new String[20_000];
            Arrays.setAll(topics, i -> "topic/" + i);
            AccessRules large = AccessRules.of(AccessRule.allow().topic(topics).build());
            assertThatThrownBy(() -> AccessList.ofIdentity(large)).isInstanceOf(RuleMistake.class);
            ByteWriter tooLong = new ByteWriter(16);
            AccessList.of(large).write(tooLong);
            assertThatThrownBy(() -> AccessList.read(new ByteReader(tooLong.toBytes())))
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
    }

    @Test
    void answers_are_those_of_the_topic_when_more_are_asked_about_than_are_remembered() {
        Access access =
                access(list(AccessRule.allow(Action.PUBLISH).topic("even/#").build()), "c", null);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 3 * AnswerMemo.TOPICS_MAX; i++) {
                boolean isEven = i % 2 == 0;
                Topic topic = Topic.of((isEven ? "even/" : "odd/") + i);
                assertThat(access.mayPublish(topic, i % 3, round == 1)).isEqualTo(isEven);
                assertThat(access.mayPublish(topic, i % 3, round == 1)).isEqualTo(isEven);
            }
        }
    }

    @Test
    void rule_is_shown_as_it_is_written_in_a_file() {
        assertThat(
                        AccessRule.allow(Action.PUBLISH)
                                .group("fleet")
                                .topic("devices/%c/#")
                                .qos(1, 0)
                                .retain(false)
                                .build())
                .hasToString(
                        "{allow: publish, group: fleet, topic: \"devices/%c/#\", qos: [0, 1], retain:"
                                + " false}");
        assertThat(ALLOW_ALL).hasToString("{allow: all}");
    }
}
