package io.godwit.cluster.replication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.transport.NodeStart;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TestLink;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Checks the records that a node keeps of the followers of each leader. */
class CopyRecordsTest {
    private static final int LEADER = 7;
    private static final BitSet NO_CLAIM = new BitSet();

    private final SimulatedRecordsFile file =
            new SimulatedRecordsFile(new SplittableRandom(1), () -> 0);
    private final List<Outgoing> answers = new ArrayList<>();
    private final TestLink link =
            new TestLink() {
                @Override
                public NodeStart peer() {
                    return new NodeStart(LEADER, 2);
                }

                @Override
                public boolean offer(Outgoing message) {
                    return answers.add(message);
                }
            };

    private CopyRecords records() {
        CopyRecords made = new CopyRecords(4, file, CopyRules.ALL);
        made.attach(Runnable::run);
        return made;
    }

    private static CopyRecord record(int set, long incarnation, long change, Integer... whole) {
        return new CopyRecord(LEADER, set, incarnation, change, List.of(whole), List.of(9));
    }

    @Test
    void records_are_read_as_they_were_written() {
        List<CopyRecord> all =
                List.of(
                        new CopyRecord(
                                7,
                                9,
                                1,
                                2,
                                List.of(),
                                List.of(),
                                4,
                                new CopyRecord.Version(1L << 40, 9)),
                        new CopyRecord(0xFF_FFFF, 9, 1L << 40, 3, List.of(1, 0xFF_FFFE), List.of()),
                        record(1, 2, 1, 3));
        ByteWriter to = new ByteWriter(8);
        CopyRecord.writeAll(to, all);
        assertThat(to.length()).isLessThanOrEqualTo(CopyRecord.bytes(all));
        assertThat(CopyRecord.readAll(new ByteReader(to.toBytes()))).isEqualTo(all);
        byte[] noSet = to.toBytes();
        noSet[4] = 10;
        assertThatThrownBy(() -> CopyRecord.readAll(new ByteReader(noSet)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void node_answers_when_the_records_are_on_its_disk() {
        CopyRecords records = records();
        records.onShow(link, 4, NO_CLAIM, List.of(record(1, 2, 4, 3)));
        assertThat(answers).isEmpty();
        records.onShow(link, 5, NO_CLAIM, List.of(record(2, 2, 5, 3)));
        file.finish();
        assertThat(answers).containsExactly(new CopyMessages.Shown(4));
        file.finish();
        assertThat(answers).containsExactly(new CopyMessages.Shown(4), new CopyMessages.Shown(5));
        assertThat(records().of(LEADER)).containsExactly(record(1, 2, 4, 3), record(2, 2, 5, 3));
    }

    @Test
    void node_that_knows_all_of_it_answers_at_once() {
        CopyRecords records = records();
        records.onShow(link, 4, NO_CLAIM, List.of(record(1, 2, 4, 3)));
        file.finish();
        records.onShow(link, 4, NO_CLAIM, List.of(record(1, 2, 4, 3)));
        assertThat(file.isDue()).isFalse();
        assertThat(answers).containsExactly(new CopyMessages.Shown(4), new CopyMessages.Shown(4));
    }

    @Test
    void record_of_an_older_start_is_refused() {
        CopyRecords records = records();
        records.onShow(link, 1, NO_CLAIM, List.of(record(1, 3, 1, 3)));
        file.finish();
        answers.clear();
        records.onShow(link, 8, NO_CLAIM, List.of(record(1, 2, 8, 4), record(2, 2, 8, 4)));
        assertThat(answers)
                .containsExactly(new CopyMessages.ShowRefused(8, List.of(record(1, 3, 1, 3))));
        assertThat(records.of(LEADER)).containsExactly(record(1, 3, 1, 3));
    }

    @Test
    void leader_that_is_forgotten_is_refused_and_its_records_stay() {
        CopyRecords records = records();
        records.onShow(link, 1, NO_CLAIM, List.of(record(1, 2, 1, 3)));
        file.finish();
        answers.clear();
        records.forgotten(Set.of(LEADER));
        file.finish();
        assertThat(records.of(LEADER)).as("followers take over by them").hasSize(1);
        records.onShow(link, 2, NO_CLAIM, List.of(record(1, 2, 2, 3)));
        assertThat(answers).containsExactly(new CopyMessages.ShowRefused(2, List.of()));
        records.forgotten(Set.of());
        records.onShow(link, 3, NO_CLAIM, List.of(record(1, 3, 1, 3)));
        file.finish();
        assertThat(answers).last().isEqualTo(new CopyMessages.Shown(3));
    }

    /** The leader may not lead any more what this node has copies of and has yet to load. */
    @Test
    void leader_that_was_taken_over_from_opens_no_stream_before_its_sessions_are_loaded_here() {
        boolean[] isLoading = {true};
        CopyRecords records = records();
        records.claims()
                .attach(
                        new LedSlots() {
                            @Override
                            public BitSet of(int server) {
                                return new BitSet();
                            }

                            @Override
                            public boolean isLoadingFrom(int leader) {
                                return leader == LEADER && isLoading[0];
                            }
                        });
        assertThat(records.mayOpen(LEADER, NO_CLAIM)).isFalse();
        assertThat(records.mayOpen(LEADER + 1, NO_CLAIM)).isTrue();
        isLoading[0] = false;
        assertThat(records.mayOpen(LEADER, NO_CLAIM)).isTrue();
    }
}
