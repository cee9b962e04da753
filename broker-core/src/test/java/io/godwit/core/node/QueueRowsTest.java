package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import io.godwit.core.packet.Packet;
import io.godwit.core.packet.PacketType;
import io.godwit.core.packet.Property;
import io.godwit.core.packet.ProtocolVersion;
import io.godwit.core.packet.ReasonCode;
import io.godwit.core.settings.OverloadSettings;
import io.godwit.core.settings.QueuePolicy;
import io.godwit.core.settings.QueueSettings;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** A durable queue whose messages become rows: out of memory, and back page by page. */
class QueueRowsTest extends QueueFixture {
    @Nested
    class Out_of_memory {
        @Test
        void what_waits_leaves_with_the_window_and_comes_back_in_order() {
            offline();
            publish(10);
            assertThat(node.queuedMessages()).isEqualTo(10);
            long bytes = node.queuedBytes();
            assertThat(node.keptBytes()).isEqualTo(bytes);
            rows();
            assertThat(node.queuedMessages()).isZero();
            assertThat(node.queuedBytes()).isZero();
            assertThat(node.keptMessages()).isEqualTo(10);
            assertThat(node.keptBytes()).isEqualTo(bytes);
            assertThat(info().queued()).isEqualTo(10);
            assertThat(info().queuedBytes()).isEqualTo(bytes);
            assertThat(info().queuedOnDisk()).isEqualTo(10);

            publish(3);
            assertThat(info().queued()).isEqualTo(13);
            assertThat(info().queuedOnDisk()).isEqualTo(10);
            TestClient back = connect(0, 0);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 13));
            assertNothingIsLeft();
        }

        @Test
        void what_is_in_flight_stays_and_is_sent_again_first() {
            TestClient subscriber = connect(1, 3);
            subscriber.subscribe(1, 1, "t");
            node.settle();
            publish(8);
            rows();
            assertThat(subscriber.payloads()).isEqualTo(messages(1, 3));
            assertThat(info().inFlight()).isEqualTo(3);
            assertThat(info().queuedOnDisk()).isEqualTo(1);
            assertThat(node.queuedMessages()).as("the page that was read ahead").isEqualTo(4);
            subscriber.cut();
            node.settle();
            assertThat(node.queuedMessages()).isZero();
            assertThat(info().inFlight()).isEqualTo(3);
            assertThat(info().queuedOnDisk()).isEqualTo(5);

            TestClient back = connect(0, 3);
            assertThat(back.payloads()).isEqualTo(messages(1, 3));
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 8));
            assertNothingIsLeft();
        }

        @Test
        void what_is_in_flight_to_a_client_that_is_offline_leaves_when_memory_is_short() {
            TestClient subscriber = connect(1, 3);
            subscriber.subscribe(1, 2, "t");
            node.settle();
            byte[] large = new byte[20_000];
            for (int i = 0; i < 3; i++) {
                large[0] = (byte) ('a' + i);
                publisher.publish("t", 1, 1 + i, false, large.clone());
                node.settle();
            }
            publish(2);
            List<String> sent = List.copyOf(subscriber.payloads());
            assertThat(sent).hasSize(3);
            rows();
            subscriber.cut();
            node.settle();
            assertThat(node.inFlightBytes()).isGreaterThan(60_000);

            int read = store.messagesRead;
            node.transportBytes = OverloadSettings.DEFAULTS.memoryBytes() * 7 / 10;
            node.tick(1_000);
            node.tick(100);
            assertThat(node.inFlightBytes()).isLessThan(1_000);
            assertThat(info().inFlight()).isEqualTo(3);
            assertThat(store.messagesRead).as("for what is to leave memory").isEqualTo(read);

            TestClient back = connect(0, 3);
            assertThat(back.payloads()).isEqualTo(sent);
            assertThat(node.inFlightBytes()).isGreaterThan(60_000);
            acknowledgeAll(back);
            assertThat(back.payloads()).hasSize(5);
            assertNothingIsLeft();
            assertThat(node.inFlightBytes()).isZero();
        }

        /** A page of large messages is never half of one by its number. */
        @Test
        void what_is_read_ahead_is_bounded_in_bytes() {
            node(
                    new QueueSettings(
                            1_000, 1 << 24, QueuePolicy.DISCARD_NEWEST, 1_000, 1 << 24, 100));
            offline();
            for (int i = 1; i <= 10; i++) {
                publisher.publish("t", 1, i, false, new byte[300_000]);
                node.settle();
            }
            rows();
            assertThat(info().queuedOnDisk()).isEqualTo(10);
            TestClient slow = connect(1, 1);
            assertThat(slow.count(PacketType.PUBLISH)).isEqualTo(1);
            assertThat(node.queuedMessages()).isEqualTo(1);
            acknowledgeAll(slow);
            assertThat(slow.count(PacketType.PUBLISH)).isEqualTo(10);
            assertNothingIsLeft();
        }

        @Test
        void a_client_that_comes_back_while_more_is_about_to_leave_gets_all_of_it() {
            int inFlight = PAGE + 2;
            TestClient subscriber = connect(1, inFlight);
            subscriber.subscribe(1, 2, "t");
            node.settle();
            byte[] large = new byte[20_000];
            for (int i = 0; i < inFlight; i++) {
                large[0] = (byte) ('a' + i);
                publisher.publish("t", 1, 1 + i, false, large.clone());
                node.settle();
            }
            List<String> sent = List.copyOf(subscriber.payloads());
            assertThat(sent).hasSize(inFlight);
            rows();
            subscriber.cut();
            node.settle();
            store.holdReads();
            node.transportBytes = OverloadSettings.DEFAULTS.memoryBytes() * 7 / 10;
            node.tick(1_000);
            node.tick(100);
            answer();
            assertThat(node.inFlightBytes()).as("a page has left").isBetween(40_000L, 50_000L);
            assertThat(store.readsWaiting()).isEqualTo(1);

            TestClient back = connect(1, inFlight);
            store.answerAll();
            node.settle();
            assertThat(back.payloads()).isEqualTo(sent);
            acknowledgeAll(back);
            assertNothingIsLeft();
            assertThat(node.inFlightBytes()).isZero();
        }

        @Test
        void only_rows_leave() {
            offline();
            publish(2);
            rows();
            publish(2);
            assertThat(node.queuedMessages()).isEqualTo(2);
            assertThat(info().queuedOnDisk()).isEqualTo(2);
            rows();
            assertThat(node.queuedMessages()).isZero();
            assertThat(info().queuedOnDisk()).isEqualTo(4);
        }

        @Test
        void what_was_acknowledged_within_the_window_never_becomes_a_row() {
            TestClient subscriber = connect(1, 0);
            subscriber.subscribe(1, 1, "t");
            node.settle();
            publish(5);
            acknowledgeAll(subscriber);
            rows();
            assertThat(store.queue(node.session("s").queueId())).isEmpty();
            assertNothingIsLeft();
        }

        @Test
        void the_age_is_that_of_the_oldest() {
            offline();
            publish(1);
            node.time.advance(5_000);
            publish(1);
            assertThat(info().oldestAgeMs()).isEqualTo(5_000);
            rows();
            assertThat(info().oldestAgeMs()).isEqualTo(5_000);
            acknowledgeAll(connect(0, 0));
            assertThat(info().oldestAgeMs()).isZero();
        }

        @Test
        void the_session_s_end_takes_them_all() {
            offline();
            publish(6);
            rows();
            publish(2);
            TestClient other = node.open(0, ProtocolVersion.MQTT_5);
            other.connect("s", true, 0, 0);
            node.settle();
            assertThat(node.count(Metric.DROPPED_SESSION_GONE)).isEqualTo(8);
            assertThat(node.keptMessages()).isZero();
            assertThat(node.keptBytes()).isZero();
            assertThat(node.queuedBytes()).isZero();
            assertThat(store.operations).contains("removeSession s");
            store.rows();
            node.settle();
            assertThat(other.payloads()).isEmpty();
        }

        @Test
        void a_session_that_is_durable_no_more_still_gets_its_rows() {
            offline();
            publish(9);
            rows();
            store.holdReads();
            TestClient back = node.open(0, ProtocolVersion.MQTT_5);
            back.connect("s", false, 0, 2);
            node.settle();
            publish(2);
            assertThat(store.operations).doesNotContain("removeSession s");
            store.answerAll();
            node.settle();
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 11));
            assertThat(store.operations).contains("removeSession s");
            assertThat(node.keptMessages()).isZero();
            assertThat(node.queuedBytes()).isZero();
        }
    }

    @Nested
    class Pages {
        @BeforeEach
        void held() {
            offline();
            publish(18);
            rows();
            store.holdReads();
        }

        @Test
        void are_asked_for_one_at_a_time_before_the_last_is_used_up() {
            TestClient back = connect(1, 1);
            assertThat(back.count(PacketType.CONNACK)).isEqualTo(1);
            assertThat(store.readsWaiting()).isEqualTo(1);
            publish(1);
            assertThat(back.payloads()).as("what is older comes first").isEmpty();
            answer();
            assertThat(back.payloads()).isEqualTo(messages(1, 1));
            assertThat(store.readsWaiting()).as("three are left").isZero();
            back.ack(PacketType.PUBACK, 1);
            node.settle();
            assertThat(back.payloads()).isEqualTo(messages(1, 2));
            assertThat(store.readsWaiting()).as("two are left").isEqualTo(1);
            back.ack(PacketType.PUBACK, 2);
            node.settle();
            assertThat(store.readsWaiting()).isEqualTo(1);
            assertThat(node.queuedMessages()).as("one of the page, one new").isEqualTo(2);
            store.answerAll();
            node.settle();
            assertThat(node.queuedMessages())
                    .as("a page, and one twice as long")
                    .isLessThanOrEqualTo(3 * PAGE + 1);
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, 19));
            assertNothingIsLeft();
        }

        @Test
        void what_becomes_a_row_meanwhile_is_read_later() {
            TestClient back = connect(1, 0);
            publish(3);
            rows();
            assertThat(node.queuedMessages()).isZero();
            assertThat(info().queuedOnDisk()).isEqualTo(21);
            for (int i = 0; i < 10; i++) {
                assertThat(store.readsWaiting()).isEqualTo(1);
                answer();
                publish(1);
                rows();
            }
            store.answerAll();
            node.settle();
            acknowledgeAll(back);
            assertThat(back.payloads()).isEqualTo(messages(1, published));
            assertNothingIsLeft();
        }

        @Test
        void of_an_older_connection_are_ignored_and_what_was_read_goes_back() {
            TestClient back = connect(1, 2);
            answer();
            assertThat(store.readsWaiting()).isEqualTo(1);
            assertThat(node.queuedMessages()).isEqualTo(2);
            back.ack(PacketType.PUBACK, 1);
            node.settle();
            back.cut();
            node.settle();
            assertThat(node.queuedMessages()).isZero();
            assertThat(node.queuedBytes()).isZero();
            assertThat(info().queued()).isEqualTo(15);

            TestClient again = connect(1, 0);
            assertThat(again.payloads()).isEqualTo(messages(2, 3));
            answer();
            assertThat(again.payloads()).as("of the older connection").hasSize(2);
            store.answerAll();
            node.settle();
            acknowledgeAll(again);
            assertThat(again.payloads()).isEqualTo(messages(2, 18));
            assertNothingIsLeft();
        }

        @Test
        void come_too_late_for_a_session_that_has_moved() {
            connect(1, 0);
            TestClient moved = connect(0, 0);
            assertThat(store.readsWaiting()).isEqualTo(2);
            answer();
            assertThat(moved.payloads()).isEmpty();
            answer();
            assertThat(moved.payloads()).isEqualTo(messages(1, 4));
            store.answerAll();
            node.settle();
            acknowledgeAll(moved);
            assertThat(moved.payloads()).isEqualTo(messages(1, 18));
            assertNothingIsLeft();
        }

        @Test
        void that_cannot_be_read_close_the_client_and_the_rows_stay() {
            TestClient back = connect(1, 0);
            answer();
            store.fail();
            node.settle();
            assertThat(back.wire.isClosed()).isTrue();
            assertThat(back.packets().getLast())
                    .isInstanceOfSatisfying(
                            Packet.Disconnect.class,
                            d -> {
                                assertThat(d.reason()).isEqualTo(ReasonCode.UNSPECIFIED_ERROR);
                                assertThat(d.properties().text(Property.REASON_STRING))
                                        .contains("can't be read");
                            });
            assertThat(node.count(Metric.STORE_READ_FAILURES)).isEqualTo(1);
            assertThat(info().queued()).isEqualTo(14);
            store.answerAll();
            TestClient again = connect(0, 0);
            acknowledgeAll(again);
            assertThat(again.payloads()).isEqualTo(messages(1, 18));
            assertNothingIsLeft();
        }

        @Test
        void for_a_session_that_has_ended_are_nobody_s() {
            connect(1, 0);
            TestClient other = node.open(1, ProtocolVersion.MQTT_5);
            other.connect("s", true, 3600, 0);
            node.settle();
            store.answerAll();
            node.settle();
            assertThat(other.payloads()).isEmpty();
            assertThat(node.keptMessages()).isZero();
        }
    }
}
