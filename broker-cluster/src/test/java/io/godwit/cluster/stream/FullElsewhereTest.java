package io.godwit.cluster.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.ack.Receipt;
import io.godwit.core.ack.ReceiptListener;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class FullElsewhereTest {
    private final FullElsewhere full = new FullElsewhere();

    /** A publisher, as its receipts tell it. */
    private static final class Publisher implements ReceiptListener {
        private BooleanSupplier feedsFull = () -> false;

        @Override
        public void onReceiptDone() {}

        @Override
        public void feedsFull(BooleanSupplier isFull) {
            feedsFull = isFull;
        }

        boolean waits() {
            return feedsFull.getAsBoolean();
        }
    }

    private Publisher feeds(long position) {
        Publisher publisher = new Publisher();
        full.add(position, new Receipt(publisher, 1, 1));
        return publisher;
    }

    private static OutEntry entry(Receipt receipt) {
        return new OutEntry(new StreamRecord.FiltersEnd(), receipt, false, false, false);
    }

    @Test
    void whoever_publishes_to_a_full_target_waits_until_that_one_has_eased() {
        Publisher one = feeds(1);
        Publisher other = feeds(3);
        full.eased(new long[] {2, 3, 7});
        assertThat(one.waits()).isTrue();
        assertThat(other.waits()).isFalse();
        full.eased(new long[] {1});
        assertThat(one.waits()).isFalse();
    }

    @Test
    void nobody_waits_who_would_not_hear_that_it_has_eased() {
        Publisher one = feeds(1);
        full.clear();
        assertThat(one.waits()).isFalse();
    }

    /** Its client has gone, or there never was one. */
    @Test
    void a_message_of_nobody_has_nobody_wait() {
        full.add(1, new Receipt(null, 1, 1));
        OutEntry released = entry(new Receipt(null, 1, 1));
        released.release();
        full.add(2, released.receipt());
        full.eased(new long[] {1, 2});
    }

    @Test
    void an_answer_says_what_is_full_and_what_has_eased_and_is_no_longer_where_there_is_nothing() {
        long[] full = {4, 500};
        long[] eased = {2};
        Answers read = through(new Answers(1, 3, Answers.NONE, new byte[0], full, eased));
        assertThat(read.full).isEqualTo(full);
        assertThat(read.eased).isEqualTo(eased);
        read = through(new Answers(1, 3, Answers.NONE, new byte[0], Answers.NONE, eased));
        assertThat(read.full).isEmpty();
        assertThat(read.eased).isEqualTo(eased);
        read = through(new Answers(1, 3, Answers.NONE, new byte[0], Answers.NONE, Answers.NONE));
        assertThat(read.full).isEmpty();
        assertThat(read.eased).isEmpty();
    }

    private static Answers through(Answers answers) {
        ByteWriter to = new ByteWriter(16);
        answers.write(to, 3);
        ByteReader from = new ByteReader(to.toBytes());
        Answers read = Answers.read(from);
        assertThat(from.isAtEnd()).isTrue();
        return read;
    }
}
