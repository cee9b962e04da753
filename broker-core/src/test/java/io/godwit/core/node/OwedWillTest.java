package io.godwit.core.node;

import static io.godwit.core.node.RestartFixture.connAck;
import static io.godwit.core.node.RestartFixture.isPresent;
import static io.godwit.core.node.RestartFixture.subscribe;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.Properties;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.packet.Topic;
import io.godwit.core.packet.Will;
import io.godwit.core.store.KeptStore;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.SessionRecord;
import io.godwit.core.takeover.Registrar;
import java.nio.charset.StandardCharsets;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A will that is published, and not taken in by everyone, holds up no newer connection. */
class OwedWillTest {
    private static final int SHARDS = 3;

    @Nested
    class When_its_receiver_is_slow {
        private final TestNode node = new TestNode(SHARDS, new KeptStore());

        /** A client id whose registrar is not on the shard that is slow. */
        private final String a = clientOf(0, 0);

        @ParameterizedTest
        @CsvSource({"1, 0, false", "2, 0, false", "1, 2, false", "2, 2, false", "1, 0, true"})
        void then_a_takeover_does_not_wait_for_it(int qos, int newShard, boolean cleanStart) {
            TestClient witness = durable("w", 1);
            subscribe(witness, qos, "will/#");
            node.settle();
            connect(a, 0, false, will("a", qos));
            settleBut(1);

            TestClient second = connect(a, newShard, cleanStart, will("b", qos));
            settleBut(1);
            assertThat(connAck(second).code()).isZero();
            assertThat(isPresent(second)).isEqualTo(!cleanStart);
            assertThat(witness.payloads()).isEmpty();

            node.settle();
            assertThat(witness.payloads()).containsExactly("a");
            assertThat(node.session(a).life().owedWills()).isZero();
        }

        @Test
        void then_two_takeovers_whose_wills_go_to_each_other_both_end() {
            String one = clientOf(2, 0);
            String other = clientOf(2, 1);
            TestClient oldOne = connect(one, 0, false, will("of one", 2));
            TestClient oldOther = connect(other, 1, false, will("of other", 2));
            node.settle();
            subscribe(oldOne, 2, "will/of other");
            subscribe(oldOther, 2, "will/of one");
            node.settle();

            TestClient newOne = connect(one, 2, false, null);
            TestClient newOther = connect(other, 2, false, null);
            // Each shard has one turn: what the wills' receivers answer is not heard by anyone.
            for (int shard : new int[] {2, 0, 1, 2}) {
                node.loops[shard].step();
            }
            assertThat(connAck(newOne).code()).isZero();
            assertThat(connAck(newOther).code()).isZero();
            assertThat(
                            node.session(one).life().owedWills()
                                    + node.session(other).life().owedWills())
                    .isEqualTo(2);

            node.settle();
            assertThat(newOne.payloads()).containsExactly("of other");
            assertThat(newOther.payloads()).containsExactly("of one");
            assertThat(
                            node.session(one).life().owedWills()
                                    + node.session(other).life().owedWills())
                    .isZero();
        }

        @Test
        void then_those_of_qos_2_follow_one_another_and_those_of_qos_1_do_not_wait() {
            TestClient witness = durable("w", 1);
            subscribe(witness, 2, "will/#");
            node.settle();
            connect(a, 0, false, will("1", 2));
            settleBut(1);
            connect(a, 0, false, will("2", 2));
            settleBut(1);
            connect(a, 0, false, will("3", 1));
            settleBut(1);
            connect(a, 0, false, null);
            settleBut(1);
            assertThat(node.session(a).life().owedWills()).isEqualTo(3);
            assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(2);

            node.settle();
            assertThat(witness.payloads()).hasSize(3).contains("3").containsSubsequence("1", "2");
            assertThat(node.session(a).life().owedWills()).isZero();
        }

        @Test
        void then_a_client_that_goes_on_bringing_wills_is_refused() {
            TestClient witness = durable("w", 1);
            subscribe(witness, 1, "will/#");
            node.settle();
            for (int i = 0; i < 16; i++) {
                assertThat(connAck(settled(connect(a, 0, false, will("" + i, 1)))).code()).isZero();
            }
            TestClient refused = settled(connect(a, 0, false, will("16", 1)));
            assertThat(connAck(refused).code()).isEqualTo(ReasonCode.QUOTA_EXCEEDED.code());
            assertThat(refused.wire.isClosed()).isTrue();
            assertThat(node.count(Metric.REFUSED_WILLS)).isEqualTo(1);
            TestClient without = settled(connect(a, 0, false, null));
            assertThat(connAck(without).code()).isZero();
            assertThat(isPresent(without)).isTrue();

            node.settle();
            assertThat(witness.payloads()).hasSize(16).doesNotHaveDuplicates();
            assertThat(connAck(settled(connect(a, 0, false, will("17", 1)))).code()).isZero();
        }

        @ParameterizedTest
        @CsvSource({"1, 3600, 0", "2, 3600, 0", "1, 3600, 2", "2, 3600, 2", "1, 0, 0", "2, 0, 0"})
        void then_it_is_published_once_more_when_another_node_has_taken_over_from_this_one(
                int qos, long expirySeconds, int nextShard) {
            subscribe(durable("w", 1), qos, "will/#");
            node.settle();
            TestClient old = node.open(0, ProtocolVersion.MQTT_5);
            old.connect(a, false, expirySeconds, 0, will("a", qos));
            settleBut(1);
            old.cut();
            settleBut(1);
            if (expirySeconds > 0) {
                connect(a, nextShard, false, null);
                settleBut(1);
            }
            assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);

            node.broker.closeClients(new BitSet());
            settleBut(1);
            assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(2);
            node.settle();

            assertThat(durable("w", 1).payloads()).containsExactly("a");
            node.broker.closeClients(new BitSet());
            node.settle();
            assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(2);
            if (expirySeconds > 0) {
                assertThat(node.session(a).life().owedWills()).isZero();
            }
        }

        /** All shards begin to look at their sessions; the session goes from one to the other. */
        @ParameterizedTest
        @CsvSource({"1", "2"})
        void then_so_it_is_of_a_session_that_goes_to_another_shard_at_that_moment(int qos) {
            subscribe(durable("w", 1), qos, "will/#");
            node.settle();
            settled(connect(a, 0, false, will("a", qos))).cut();
            settleBut(1);
            assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(1);

            node.broker.closeClients(new BitSet());
            node.loops[2].step();
            connect(a, 2, false, null);
            node.loops[2].step();
            settleBut(1);
            assertThat(node.session(a).owner()).isEqualTo(2);
            assertThat(node.count(Metric.WILLS_PUBLISHED)).isEqualTo(2);
            node.settle();
            assertThat(durable("w", 1).payloads()).containsExactly("a");
            assertThat(node.session(a).life().owedWills()).isZero();
        }

        private TestClient settled(TestClient client) {
            settleBut(1);
            return client;
        }

        private TestClient durable(String clientId, int shard) {
            TestClient client = connect(clientId, shard, false, null);
            node.settle();
            return client;
        }

        private TestClient connect(
                String clientId, int shard, boolean cleanStart, @Nullable Will will) {
            TestClient client = node.open(shard, ProtocolVersion.MQTT_5);
            client.connect(clientId, cleanStart, 3600, 0, will);
            return client;
        }

        /** Steps all shards but one until they have nothing to do. */
        private void settleBut(int stopped) {
            boolean busy = true;
            while (busy) {
                busy = false;
                for (int i = 0; i < SHARDS; i++) {
                    busy |= i != stopped && node.loops[i].step();
                }
            }
        }
    }

    @Nested
    class When_the_broker_crashes {
        private final RestartFixture f = new RestartFixture();
        private final String a = clientOf(0, 0);

        @ParameterizedTest
        @CsvSource({"1, false", "2, false", "1, true", "2, true"})
        void then_it_is_published_again_and_that_of_the_newer_connection_too(
                int qos, boolean cleanStart) {
            subscribe(f.durable(1, "w"), qos, "will/#");
            subscribe(f.durable(0, "x"), qos, "will/#");
            f.connect(0, a, false, 3600, will("1", qos));
            f.store.hold();
            f.connect(0, a, cleanStart, 3600, will("2", qos));
            // The newer connection's will is kept, and that of the older one still owed.
            while (!owesFirstAndKeepsSecond(cleanStart)) {
                assertThat(f.store.outstanding()).isPositive();
                f.store.end(1);
                f.node.settle();
            }
            f.crash(0);

            for (String receiver : List.of("w", "x")) {
                assertThat(f.rows(receiver)).containsExactly("1", "2");
            }
            SessionRecord kept = Objects.requireNonNull(f.state().session(ClientId.of(a)));
            assertThat(kept.owedWills()).isEmpty();
            assertThat(kept.isOver()).isFalse();
            assertThat(f.state().sessions()).isEqualTo(3);
            assertThat(f.registered()).isEqualTo(3);
            f.crash(0);
            assertThat(f.node.count(Metric.WILLS_PUBLISHED)).isZero();
        }

        private boolean owesFirstAndKeepsSecond(boolean cleanStart) {
            SessionRecord record = Objects.requireNonNull(f.state().session(ClientId.of(a)));
            KeptWill kept = record.will();
            return kept != null
                    && kept.will().topic().equals(Topic.of("will/2"))
                    && f.state().sessions() == (cleanStart ? 4 : 3)
                    && (cleanStart || record.owedWills().size() == 1);
        }

        @Test
        void then_a_session_that_ended_by_clean_start_is_not_there_though_it_owes_one() {
            TestClient witness = f.durable(1, "w");
            subscribe(witness, 1, "will/#");
            TestClient old = f.connect(0, a, false, 3600, will("1", 1));
            subscribe(old, 1, "t");
            f.node.settle();
            f.store.hold();
            TestClient clean = f.connect(0, a, true, 0, null);
            f.store.end(1);
            f.node.settle();
            assertThat(connAck(clean).sessionPresent()).isFalse();
            f.crash(0);

            assertThat(f.rows("w")).contains("1");
            assertThat(f.isKept(a)).isFalse();
            assertThat(f.registered()).isEqualTo(1);
            // The witness's: one subscription and its filter.
            assertThat(SessionProbe.indexed(f.node.shards[0])).isEqualTo(2);
            assertThat(isPresent(f.durable(0, a))).isFalse();
        }
    }

    /** The n-th client id whose registrar is on this shard, with two shards and with three. */
    private static String clientOf(int shard, int n) {
        int left = n;
        for (int i = 0; ; i++) {
            ClientId id = ClientId.of("c" + i);
            boolean isThere =
                    Registrar.shardOf(id, SHARDS) == shard
                            && (shard == SHARDS - 1
                                    || Registrar.shardOf(id, RestartFixture.SHARDS) == shard);
            if (isThere && left-- == 0) {
                return id.toString();
            }
        }
    }

    private static Will will(String text, int qos) {
        return new Will(
                Topic.of("will/" + text),
                qos,
                false,
                text.getBytes(StandardCharsets.UTF_8),
                0,
                Properties.NONE);
    }
}
