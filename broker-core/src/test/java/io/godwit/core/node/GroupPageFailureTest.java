package io.godwit.core.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.metrics.Metric;
import org.junit.jupiter.api.Test;

/** A page of a group's queue that can't be read; no connection ends for it. */
class GroupPageFailureTest extends QueueFixture {
    @Test
    void is_read_again_a_second_later_though_nothing_else_happens() {
        TestClient member = connect(1, 0);
        member.subscribe(1, 1, "$share/g/t");
        node.settle();
        member.cut();
        node.settle();
        publish(3);
        rows();
        store.holdReads();
        TestClient back = connect(1, 0);
        assertThat(store.readsWaiting()).isEqualTo(1);
        for (int failures = 1; failures <= 2; failures++) {
            store.fail();
            node.settle();
            assertThat(node.count(Metric.STORE_READ_FAILURES)).isEqualTo(failures);
            assertThat(store.readsWaiting()).isZero();
            node.tick(999);
            node.settle();
            assertThat(store.readsWaiting()).isZero();
            node.tick(1);
            node.settle();
            assertThat(store.readsWaiting()).isEqualTo(1);
        }
        store.answerAll();
        node.settle();
        assertThat(back.wire.isClosed()).isFalse();
        acknowledgeAll(back);
        assertThat(back.payloads()).isEqualTo(messages(1, 3));
    }
}
