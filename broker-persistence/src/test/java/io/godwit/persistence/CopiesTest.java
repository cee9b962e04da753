package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.Epoch;
import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.operation.Part;
import io.godwit.core.operation.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.RowRead;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.Journal;
import io.godwit.persistence.inspect.StoreExport;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.inspect.StoreItem;
import io.godwit.persistence.inspect.StoreSummary;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.settings.StoreRules;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of queues that live on another node. */
class CopiesTest {
    private static final int OTHER = 9;
    private static final Epoch EPOCH = new Epoch(Epoch.number(1, 1), 7);

    private final StoreFixture leader = new StoreFixture(OTHER);

    /** A start on a store that has got everything that the leader has written. */
    private StoreFixture copy() throws DiskFailure {
        MemoryJournal journal = new MemoryJournal();
        leader.journal.replay(
                0,
                0,
                (position, flags, value) -> {
                    ByteWriter record = new ByteWriter(256);
                    for (Part part : Part.of(value)) {
                        if (part.kind() == Part.Kind.OWN) {
                            byte[] body =
                                    Arrays.copyOfRange(
                                            part.bytes(), part.bodyFrom(), part.bodyTo());
                            Part.writeForeign(
                                    record, new Subject.ForeignPart(OTHER, 1, position, body, 2));
                        }
                    }
                    try {
                        journal.append(position, Journal.WHOLE, record.array(), record.length());
                        journal.sync();
                    } catch (DiskFailure e) {
                        throw new AssertionError(e);
                    }
                });
        return new StoreFixture(
                new StepWorkers(),
                new MemoryDisk(),
                journal,
                StoreFixture.SETTINGS,
                StoreRules.ALL);
    }

    @Test
    void a_copy_is_counted_and_neither_told_nor_purged_nor_expired() throws DiskFailure {
        leader.connect(0, 1);
        long soonMs = leader.time.wallMs() + 10;
        leader.append(0, queue(1), leader.message("a"));
        leader.append(0, queue(1), leader.message("expires", 1, soonMs));
        leader.append(0, queue(2), leader.message("without a record"));
        leader.commit();

        StoreFixture copy = copy();
        copy.time.pass(5_000);

        assertThat(copy.recovered.sessions).isEmpty();
        assertThat(copy.store.value(StoreMetric.COPIES)).isEqualTo(2);
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isEqualTo(3);
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED_BYTES)).isPositive();
        assertThat(copy.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(copy.store.value(StoreMetric.QUEUED_BYTES)).isZero();
        assertThat(copy.expired).isEmpty();
        // The same after a start that finds it as rows.
        copy = copy.afterCrash();
        assertThat(copy.recovered.sessions).isEmpty();
        assertThat(copy.store.value(StoreMetric.COPIES)).isEqualTo(2);
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isEqualTo(3);
        assertThat(copy.store.value(StoreMetric.QUEUED)).isZero();
    }

    @Test
    void queue_that_its_leader_removes_goes_with_all_that_is_kept_of_it() throws DiskFailure {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.commit();

        StoreFixture copy = copy();
        copy.time.pass(1_000);

        assertThat(copy.store.value(StoreMetric.COPIES)).isZero();
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isZero();
    }

    @Test
    void entries_that_a_new_stream_brings_again_are_counted_once() throws DiskFailure {
        StoreFixture copy = new StoreFixture();
        CopyWire wire = new CopyWire(leader, OTHER);
        wire.open();
        leader.connect(0, 1);
        Entry idle = leader.append(0, queue(1), leader.message("idle"));
        Entry expires = leader.append(0, queue(1), leader.message("expires", 1, 900_000));
        Entry flight = leader.append(0, queue(1), leader.message("in flight", 2, Message.NEVER));
        Entry released = leader.append(0, queue(1), leader.message("released", 2, Message.NEVER));
        leader.commit();
        wire.deliver(copy);
        copy.materialise();
        flight.packetId = 1;
        released.packetId = 2;
        leader.shard(0).inFlight(flight);
        leader.shard(0).inFlight(released);
        leader.commit();
        released.dropMessage();
        leader.shard(0).released(released);
        leader.commit();
        wire.deliver(copy);
        copy.materialise();

        wire.beginAgain();
        for (int left = wire.waiting(); left > 0; left--) {
            wire.apply(copy, 1);
            copy.commit();
            copy.materialise();
        }
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isEqualTo(2);
        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));

        for (Entry each : List.of(idle, expires, flight, released)) {
            leader.shard(0).remove(each);
        }
        leader.commit();
        wire.deliver(copy);
        copy.materialise();
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isZero();
        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void entry_that_a_new_stream_brings_again_leaves_no_row_when_it_is_removed_soon(boolean isRow)
            throws DiskFailure {
        StoreFixture copy = new StoreFixture();
        CopyWire wire = new CopyWire(leader, OTHER);
        wire.open();
        leader.connect(0, 1);
        Entry entry = leader.append(0, queue(1), leader.message("m", 2, Message.NEVER));
        leader.commit();
        wire.deliver(copy);
        if (isRow) {
            copy.materialise();
        }
        wire.beginAgain();
        wire.deliver(copy);
        leader.shard(0).remove(entry);
        leader.commit();
        wire.deliver(copy);
        copy.materialise();
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isZero();
        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));
    }

    @Test
    void remembered_ids_that_two_streams_end_leave_the_others_in_the_copy() throws DiskFailure {
        StoreFixture copy = new StoreFixture();
        CopyWire wire = new CopyWire(leader, OTHER);
        wire.open();
        leader.connect(0, 1);
        List<Remembered> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Entry entry = leader.append(0, queue(1), leader.message("m" + i, 2, Message.NEVER));
            ids.add(leader.remember(0, entry));
            leader.commit();
        }
        wire.deliver(copy);
        copy.materialise();
        forget(ids.get(0));
        wire.deliver(copy);
        wire.beginAgain();
        wire.resumeAt(wire.waiting() - 1); // The end of that id comes again.
        wire.deliver(copy);
        copy.materialise();
        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));

        forget(ids.get(1));
        wire.deliver(copy);
        copy.materialise();
        forget(ids.get(2));
        wire.deliver(copy);
        copy.materialise();
        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));
    }

    @Test
    void remembered_id_that_two_streams_have_brought_leaves_the_copy_when_it_ends()
            throws DiskFailure {
        StoreFixture copy = new StoreFixture();
        CopyWire wire = new CopyWire(leader, OTHER);
        wire.open();
        leader.connect(0, 1);
        Entry entry = leader.append(0, queue(1), leader.message("m", 2, Message.NEVER));
        Remembered id = leader.remember(0, entry);
        leader.commit();
        wire.deliver(copy);
        copy.materialise();
        wire.beginAgain();
        wire.deliver(copy);
        forget(id);
        wire.deliver(copy);
        copy.materialise();
        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));
    }

    /** Has the leader forget an id; that goes with something else. */
    private void forget(Remembered id) {
        leader.shard(0).forget(id);
        leader.append(0, queue(1), leader.message("next"));
        leader.commit();
    }

    @Test
    void copy_of_a_session_that_ends_leaves_nothing_but_that_it_has_ended() throws DiskFailure {
        leader.connect(0, 1);
        Entry entry = leader.append(0, queue(1), leader.message("a", 2, Message.NEVER));
        leader.remember(0, entry);
        leader.append(0, queue(1), leader.message("b"));
        leader.shard(0).putInbound(new Inbound(queue(1), 3, 7, 11));
        leader.shard(0).putMarker(queue(1), 5, 9, 3, 7, 12);
        leader.commit();
        StoreFixture copy = new StoreFixture();
        CopyWire wire = new CopyWire(leader, OTHER);
        wire.open();
        wire.fillAll(10, queue(1));
        wire.deliver(copy);
        copy.materialise();
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isEqualTo(2);

        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.commit();
        // What its publisher says late is no reason to have a copy again.
        leader.shard(0).forget(new Remembered(queue(1), entry.messageId, OTHER, 7, 1));
        leader.shard(0).removeInbound(new Inbound(queue(1), 3, 7, 11));
        leader.commit();
        wire.deliver(copy);
        copy.materialise();
        copy.time.pass(1_000);

        assertThat(copy.store.value(StoreMetric.COPIES)).isZero();
        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isZero();
        assertThat(copy.rows(Family.QUEUES)).isZero();
        assertThat(copy.disk.rows(Family.META).keySet())
                .extracting(key -> (char) key[0])
                .containsOnly('C', 'M', 'N', 'O', 'T', 'V', 'Y', 'Z');
    }

    /** A new leader does not know it, if nobody has confirmed it to the former one. */
    @Test
    void inbound_packet_id_whose_end_was_missed_goes_when_it_is_used_again() throws DiskFailure {
        leader.connect(0, 1);
        leader.commit();
        StoreFixture copy = new StoreFixture();
        CopyWire wire = new CopyWire(leader, OTHER);
        wire.open();
        wire.fillAll(10, queue(1));
        wire.deliver(copy);
        copy.materialise();
        leader.shard(0).putInbound(new Inbound(queue(1), 3, 7, 11));
        leader.commit();
        Inbound again = new Inbound(queue(1), 3, 7, 12);
        leader.shard(0).putInbound(again);
        leader.commit();
        leader.shard(0).removeInbound(again);
        leader.commit();
        wire.deliver(copy);
        copy.materialise();
        copy.time.pass(1_000);
        assertThat(copy.disk.rows(Family.META).keySet())
                .extracting(key -> (char) key[0])
                .doesNotContain('I');
    }

    @Test
    void queue_that_is_adopted_is_counted_with_those_of_this_node() throws DiskFailure {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        leader.commit();
        StoreFixture copy = copy();

        copy.shard(1).adopt(queue(1), EPOCH, new Recovered());
        copy.commit();
        copy.materialise();

        assertThat(copy.store.value(StoreMetric.COPIES_QUEUED)).isZero();
        assertThat(copy.store.value(StoreMetric.QUEUED)).isEqualTo(1);
        copy.shard(1).removeSession(ClientId.of("c1"), queue(1), copy.stamp());
        copy.commit();
        copy.materialise();
        copy.time.pass(1_000);
        assertThat(copy.store.value(StoreMetric.QUEUED)).isZero();
        assertThat(copy.store.value(StoreMetric.QUEUED_BYTES)).isZero();
    }

    @Test
    void a_copy_can_be_adopted_while_the_node_runs() throws DiskFailure {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        Entry sent = leader.append(0, queue(1), leader.message("b", 2, Message.NEVER));
        sent.packetId = 4;
        leader.shard(0).inFlight(sent);
        leader.append(0, queue(2), leader.message("stays"));
        leader.commit();
        StoreFixture copy = copy();

        Recovered told = new Recovered();
        copy.shard(1).adopt(queue(1), EPOCH, told);
        copy.commit();

        assertThat(told.session(queue(1)).clientId().toString()).isEqualTo("c1");
        assertThat(told.depth(queue(1)).idle()).isEqualTo(1);
        assertThat(told.depth(queue(1)).inFlight()).isEqualTo(1);
        assertThat(copy.store.value(StoreMetric.COPIES)).isEqualTo(1);
        Entry more = copy.append(1, queue(1), copy.message("c"));
        Page page = copy.read(queue(1), RowRead.Section.IDLE);
        assertThat(page.entries).extracting(Entry::text).containsExactly("a");
        // Delivered from it, with the ids that its previous leader gave.
        copy.shard(1).remove(page.entries.get(0));
        copy.commit();
        copy.materialise();
        assertThat(copy.texts(queue(1))).containsExactly("c");
        assertThat(copy.shards.get(1).rows).containsExactly(more);

        copy = copy.afterCrash();

        assertThat(copy.recovered.sessions.keySet()).containsExactly(queue(1));
        assertThat(copy.texts(queue(1))).containsExactly("c");
        assertThat(copy.read(queue(1), RowRead.Section.IN_FLIGHT).entries)
                .extracting(each -> each.packetId)
                .containsExactly(4);
    }

    @Test
    void copy_that_is_exported_and_imported_stays_a_copy() throws Exception {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        leader.commit();
        StoreFixture copy = copy();
        copy.store.close();

        MemoryDisk brought = new MemoryDisk();
        StoreImport to = new StoreImport(brought);
        new StoreExport(copy.disk, to).run();
        to.finish();
        StoreFixture again =
                new StoreFixture(
                        new StepWorkers(),
                        brought,
                        new MemoryJournal(),
                        StoreFixture.SETTINGS,
                        StoreRules.ALL);

        assertThat(again.recovered.sessions).isEmpty();
        assertThat(again.store.value(StoreMetric.COPIES)).isEqualTo(1);
        assertThat(again.store.value(StoreMetric.COPIES_QUEUED)).isEqualTo(1);
    }

    @Test
    void export_has_copies_only_for_who_asks_for_them() throws Exception {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("of a copied session"));
        leader.append(0, queue(2), leader.message("came before its session"));
        leader.commit();
        StoreFixture copy = copy();
        copy.connect(0, 3);
        copy.append(0, queue(3), copy.message("of its own"));
        copy.commit();
        copy.store.close();

        List<StoreItem> own = new ArrayList<>();
        StoreExport ordinary = new StoreExport(copy.disk, own::add).withoutCopies();
        ordinary.run();
        List<StoreItem> all = new ArrayList<>();
        StoreExport withCopies = new StoreExport(copy.disk, all::add);
        withCopies.run();

        assertThat(texts(own)).containsExactly("of its own");
        assertThat(ordinary.leftOut()).isEqualTo(2);
        assertThat(ordinary.ownerless()).isZero();
        assertThat(texts(all))
                .containsExactly("of a copied session", "came before its session", "of its own");
        assertThat(withCopies.ownerless()).isZero();
        assertThat(all)
                .filteredOn(StoreItem.QueueLeader.class::isInstance)
                .extracting(each -> ((StoreItem.QueueLeader) each).epoch().server())
                .containsExactly(OTHER, OTHER);
    }

    private static List<String> texts(List<StoreItem> items) {
        List<String> texts = new ArrayList<>();
        for (StoreItem each : items) {
            if (each instanceof StoreItem.Queued queued
                    && queued.body() instanceof StoreItem.Body.Own own) {
                texts.add(new String(own.message().payload, StandardCharsets.UTF_8));
            }
        }
        return texts;
    }

    @Test
    void tools_tell_copies_from_queues_of_this_node() throws DiskFailure {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        leader.append(0, queue(2), leader.message("b", 2, Message.NEVER));
        leader.shard(0).putInbound(new Inbound(queue(2), 3, 7, 11));
        leader.commit();
        StoreFixture copy = copy();
        copy.connect(0, 3);
        copy.commit();
        copy.materialise();
        List<String> lines = new ArrayList<>();
        new StoreSummary(copy.disk)
                .sessions(null, each -> lines.add(each.clientId() + " " + each.copyOf()));
        assertThat(lines).containsExactly("c1 " + OTHER, "c3 0");

        // The session of queue 2 has not come yet: that is no damage.
        List<String> problems = new ArrayList<>();
        StoreVerify verify = new StoreVerify(copy.disk, problems::add);
        verify.run();
        assertThat(problems).isEmpty();
        assertThat(verify.rowsOfCopies()).isEqualTo(2);
    }

    @Test
    void an_adoption_counts_from_the_journal_on() throws DiskFailure {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        leader.commit();
        StoreFixture copy = copy();
        copy.shard(0).adopt(queue(1), EPOCH, new Recovered());
        copy.commit();
        copy.append(0, queue(1), copy.message("b"));
        copy.commit();

        copy = copy.afterCrash();

        assertThat(copy.recovered.depth(queue(1)).idle()).isEqualTo(2);
        assertThat(copy.texts(queue(1))).isEqualTo(List.of("a", "b"));
    }

    @Test
    void adopted_queue_keeps_its_epoch_over_starts() throws DiskFailure {
        leader.connect(0, 1);
        leader.append(0, queue(1), leader.message("a"));
        leader.commit();
        StoreFixture copy = copy();
        copy.shard(0).adopt(queue(1), EPOCH, new Recovered());
        copy.commit();
        copy = copy.afterCrash();
        assertThat(Objects.requireNonNull(copy.shard(0).handle(queue(1))).epoch)
                .isEqualTo(EPOCH.number());
        copy.materialise();
        copy = copy.afterCrash();

        // Else a copy at a third node would refuse what it is filled with.
        assertThat(Objects.requireNonNull(copy.shard(0).handle(queue(1))).epoch)
                .isEqualTo(EPOCH.number());
    }

    @Test
    void queue_whose_first_part_is_on_its_way_to_the_disk_is_among_the_copies() {
        CopyWire wire = new CopyWire(leader, OTHER);
        wire.open();
        leader.connect(0, 1);
        leader.commit();
        StoreFixture copy = new StoreFixture();
        wire.apply(copy, 10);
        copy.shard(1).commit();
        List<long[]> told = new ArrayList<>();

        copy.store.copiesOf(OTHER, told::add);
        copy.time.pass(1_000);

        assertThat(told).containsExactly(new long[] {queue(1)});
    }
}
