package io.godwit.core.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class DelaysTest {
    private static final long MS = 1_000_000;

    private final Delays delays = new Delays();

    private static long count(TimeHistogram of) {
        long all = 0;
        for (int i = 0; i <= TimeHistogram.bounds(); i++) {
            all += of.count(i);
        }
        return all;
    }

    private static int bucket(double seconds) {
        int bucket = 0;
        while (bucket < TimeHistogram.bounds() && seconds > TimeHistogram.boundSeconds(bucket)) {
            bucket++;
        }
        return bucket;
    }

    @Test
    void duration_on_a_bound_counts_in_the_bucket_below_it() {
        TimeHistogram histogram = new TimeHistogram();
        histogram.add(100_000, 1);
        histogram.add(100_001, 2);
        histogram.add(10_000 * MS, 3);
        histogram.add(10_001 * MS, 4);
        assertThat(histogram.count(0)).isEqualTo(1);
        assertThat(histogram.count(1)).isEqualTo(2);
        assertThat(histogram.count(TimeHistogram.bounds() - 1)).isEqualTo(3);
        assertThat(histogram.count(TimeHistogram.bounds())).isEqualTo(4);
        assertThat(histogram.sumSeconds()).isCloseTo(70.0043, within(0.001));
    }

    @Test
    void packet_is_measured_from_the_begin_of_its_turn_to_the_end_of_that_in_which_it_leaves() {
        delays.begin(1_000 * MS);
        int read = delays.turnBegin();
        delays.end(1_001 * MS);
        delays.begin(1_003 * MS);
        delays.leaves(Delay.DELIVER_QOS1, read);
        delays.leaves(Delay.DELIVER_QOS1, read);
        delays.leaves(Delay.DELIVER_QOS1, delays.turnBegin());
        TimeHistogram measured = delays.histogram(Delay.DELIVER_QOS1);
        assertThat(count(measured)).as("the turn has not ended").isZero();
        delays.end(1_004 * MS);

        assertThat(measured.count(bucket(0.004))).isEqualTo(2);
        assertThat(measured.count(bucket(0.00099))).isEqualTo(1);
        assertThat(count(delays.histogram(Delay.DELIVER_QOS0))).isZero();

        delays.begin(1_010 * MS);
        delays.end(1_020 * MS);
        assertThat(count(measured)).as("nothing counts twice").isEqualTo(3);
    }

    @Test
    void turn_in_which_packets_of_many_turns_leave_counts_all_of_them() {
        int sent = 100;
        int[] read = new int[sent];
        for (int i = 0; i < sent; i++) {
            delays.begin((1_000 + i) * MS);
            read[i] = delays.turnBegin();
            delays.end((1_000 + i) * MS);
        }
        delays.begin(2_000 * MS);
        for (int each : read) {
            delays.leaves(Delay.ACK_QOS1, each);
        }
        delays.end(2_000 * MS);
        TimeHistogram measured = delays.histogram(Delay.ACK_QOS1);
        assertThat(measured.count(bucket(0.95))).isEqualTo(sent);
        assertThat(count(measured)).isEqualTo(sent);
    }

    @Test
    void message_that_was_not_read_here_is_not_measured_and_clocks_that_differ_give_zero() {
        delays.begin(5_000 * MS);
        delays.leaves(Delay.DELIVER_QOS0, Delays.UNKNOWN);
        delays.end(5_001 * MS);
        assertThat(count(delays.histogram(Delay.DELIVER_QOS0))).isZero();

        delays.begin(6_000 * MS);
        int later = delays.turnBegin();
        delays.begin(5_990 * MS);
        delays.leaves(Delay.DELIVER_QOS0, later);
        delays.end(5_991 * MS);
        assertThat(delays.histogram(Delay.DELIVER_QOS0).count(0)).isEqualTo(1);
    }
}
