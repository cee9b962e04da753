package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.SessionRef;
import io.godwit.core.routing.Subscription;
import io.godwit.core.store.StoreMetric;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.codec.Keys;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.inspect.AsidePurge;
import io.godwit.persistence.inspect.StoreExport;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.inspect.StoreItem;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.queue.AsideRows;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a copy has and its leader never had is set aside when the leader fills the copy. */
class UnknownEntriesTest {
    private static final int LEADER = 9;
    private static final String LARGE = "m".repeat(6_000);

    private StoreFixture leader = new StoreFixture(LEADER);
    private StoreFixture copy = new StoreFixture(8);
    private CopyWire wire = new CopyWire(leader, LEADER);
    private int opened;

    private Entry append(int queue, String text) {
        return leader.append(0, queue(queue), leader.message(text));
    }

    private void fill(int... queues) {
        leader.commit();
        for (opened++; wire.streams() < opened; ) {
            wire.open();
        }
        long[] queueIds = new long[queues.length];
        for (int i = 0; i < queues.length; i++) {
            queueIds[i] = queue(queues[i]);
        }
        wire.fillAll(100, queueIds);
        wire.deliver(copy);
    }

    private StoreFixture.Left here() {
        leader.commit();
        leader.materialise();
        return leader.left();
    }

    private void setBack(StoreFixture.Left to) {
        leader =
                leader.setBack(
                        new StoreFixture.Left(to.disk().crashed(), to.journal().crashed()), LEADER);
        wire = new CopyWire(leader, LEADER);
    }

    private List<String> aside(int queue) throws DiskFailure {
        copy.materialise();
        return StoreContents.aside(copy, queue(queue));
    }

    private void check(int... queues) throws DiskFailure {
        copy.commit();
        copy.materialise();
        copy.time.pass(2_000);
        leader.materialise();
        for (int queue : queues) {
            assertThat(copy.texts(queue(queue))).isEqualTo(leader.texts(queue(queue)));
            assertThat(StoreContents.digests(copy).get(queue(queue)))
                    .isEqualTo(StoreContents.digests(leader).get(queue(queue)));
        }
        List<String> problems = new ArrayList<>();
        new StoreVerify(copy.disk, problems::add).run();
        assertThat(problems).isEmpty();
        assertThat(copy.failure).isNull();
    }

    private long entriesAside() {
        copy.materialise();
        return copy.store.value(StoreMetric.ASIDE_ENTRIES);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void entries_that_the_leader_has_lost_are_set_aside_and_the_copy_is_filled(boolean asRows)
            throws DiskFailure {
        leader.connect(0, 1);
        append(1, "known");
        StoreFixture.Left before = here();
        fill(1);
        append(1, "lost");
        append(1, LARGE);
        leader.commit();
        wire.deliver(copy);
        if (asRows) {
            copy.materialise();
        }
        setBack(before);
        append(1, "new");
        leader.commit();
        fill(1);
        assertThat(aside(1)).containsExactly("lost", LARGE);
        assertThat(copy.texts(queue(1))).containsExactly("known", "new");
        assertThat(entriesAside()).isEqualTo(2);
        assertThat(copy.store.value(StoreMetric.ASIDE_QUEUES)).isEqualTo(1);
        assertThat(copy.store.value(StoreMetric.ASIDE_BYTES)).isGreaterThan(6_000);
        check(1);
        copy = copy.afterCrash();
        assertThat(entriesAside()).isEqualTo(2);
        assertThat(aside(1)).containsExactly("lost", LARGE);
    }

    @Test
    void entries_that_the_leader_has_delivered_are_not_set_aside() throws DiskFailure {
        leader.connect(0, 1);
        Entry delivered = append(1, "delivered");
        append(1, "known");
        fill(1);
        leader.materialise();
        leader.shard(0).remove(delivered);
        leader.commit();
        setBack(here());
        fill(1);
        assertThat(aside(1)).isEmpty();
        assertThat(copy.store.value(StoreMetric.ASIDE_QUEUES)).isZero();
        check(1);
    }

    @Test
    void entries_of_a_session_that_has_ended_and_begun_again_are_not_set_aside()
            throws DiskFailure {
        leader.connect(0, 1);
        append(1, "before its end");
        fill(1);
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.connect(0, 1);
        leader.commit();
        fill(1);
        assertThat(copy.store.value(StoreMetric.ASIDE_QUEUES)).isZero();
        leader.materialise();
        fill(1);
        assertThat(copy.store.value(StoreMetric.ASIDE_QUEUES)).isZero();
        check(1);
    }

    @Test
    void entry_whose_message_its_subscriber_has_is_not_set_aside() throws DiskFailure {
        leader.connect(0, 1);
        StoreFixture.Left before = here();
        fill(1);
        Entry entry = leader.append(0, queue(1), leader.message("sent", 2, Message.NEVER));
        entry.packetId = 7;
        leader.commit();
        entry.dropMessage();
        leader.shard(0).released(entry);
        leader.commit();
        wire.deliver(copy);
        setBack(before);
        fill(1);
        assertThat(aside(1)).isEmpty();
        check(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @SuppressWarnings("NullAway") // the store never looks at the session
    void session_that_the_leader_has_lost_is_set_aside_as_a_whole(boolean asRows)
            throws DiskFailure {
        SessionRef nobody = null;
        StoreFixture.Left before = here();
        leader.connect(0, 1);
        TopicFilter filter = TopicFilter.of("a/#");
        leader.shard(0)
                .putSubscription(
                        queue(1),
                        new Subscription(nobody, filter, 1, false, false, new int[0]),
                        leader.stamp());
        append(1, "lost");
        leader.connect(0, 2);
        leader.commit();
        fill(1, 2);
        if (asRows) {
            copy.materialise();
        }
        setBack(before);
        fill(1, 2);
        assertThat(aside(1)).containsExactly("lost");
        assertThat(aside(2)).isEmpty();
        assertThat(copy.store.value(StoreMetric.ASIDE_QUEUES)).isEqualTo(2);
        assertThat(
                        copy.disk.rows(Family.META).keySet().stream()
                                .filter(key -> key[0] == 'A' && key.length > 9)
                                .map(key ->
                                        (char) key[20]
                                                + " "
                                                + Long.toHexString(Keys.longAt(key, 1)))
                                .toList())
                .containsExactlyInAnyOrder(
                        "S " + Long.toHexString(queue(1)),
                        "B " + Long.toHexString(queue(1)),
                        "S " + Long.toHexString(queue(2)));
        check(1, 2);
        assertThat(copy.rows(Family.QUEUES)).isEqualTo(1);
        assertThat(copy.store.value(StoreMetric.COPIES)).isZero();
    }

    @Test
    void session_and_group_that_have_ended_are_not_set_aside() throws DiskFailure {
        leader.connect(0, 1);
        append(1, "ended");
        TopicFilter group = TopicFilter.of("$share/g/t");
        leader.shard(0).putGroup(group, 0, queue(2));
        append(2, "ended, too");
        leader.commit();
        fill(1, 2);
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.shard(0).removeGroup(group, queue(2), leader.stamp());
        setBack(here());
        fill(1, 2);
        assertThat(copy.store.value(StoreMetric.ASIDE_QUEUES)).isZero();
        check(1, 2);
        assertThat(copy.rows(Family.QUEUES)).isZero();
    }

    @Test
    void session_that_began_again_after_the_end_that_the_leader_knows_is_set_aside()
            throws DiskFailure {
        leader.connect(0, 1);
        append(1, "ended");
        leader.commit();
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        StoreFixture.Left before = here();
        leader.connect(0, 1);
        append(1, "lost");
        leader.commit();
        fill(1);
        setBack(before);
        fill(1);
        assertThat(aside(1)).containsExactly("lost");
        check(1);
    }

    @Test
    void entry_is_set_aside_once_though_it_comes_and_is_lost_twice() throws DiskFailure {
        leader.connect(0, 1);
        StoreFixture.Left before = here();
        append(1, LARGE);
        append(1, "lost");
        leader.commit();
        StoreFixture.Left after = leader.left();
        fill(1);
        setBack(before);
        fill(1);
        assertThat(entriesAside()).isEqualTo(2);
        setBack(after);
        fill(1);
        copy.materialise();
        assertThat(copy.texts(queue(1))).hasSize(2);
        setBack(before);
        fill(1);
        assertThat(entriesAside()).isEqualTo(2);
        check(1);
    }

    @Test
    void payload_that_queues_share_stays_while_it_is_set_aside() throws DiskFailure {
        leader.connect(0, 1);
        leader.connect(0, 2);
        StoreFixture.Left before = here();
        fill(1, 2);
        Message message = leader.message(LARGE);
        leader.append(0, queue(1), message);
        leader.append(0, queue(2), message);
        leader.commit();
        wire.deliver(copy);
        copy.materialise();
        assertThat(copy.rows(Family.PAYLOADS)).isEqualTo(1);
        setBack(before);
        fill(1);
        check(1);
        leader.shard(0).removeSession(ClientId.of("c2"), queue(2), leader.stamp());
        leader.commit();
        wire.deliver(copy);
        check(1, 2);
        assertThat(copy.rows(Family.PAYLOADS)).isEqualTo(1);
        assertThat(aside(1)).containsExactly(LARGE);
        assertThat(new AsidePurge(copy.disk).run()).isEqualTo(1);
        assertThat(copy.rows(Family.PAYLOADS)).isZero();
        assertThat(copy.disk.rows(Family.META).keySet()).noneMatch(key -> key[0] == 'A');
        check(1, 2);
    }

    @Test
    void copy_that_cannot_be_read_stays_when_its_leader_has_lost_the_session() throws DiskFailure {
        StoreFixture.Left before = here();
        leader.connect(0, 1);
        append(1, "lost");
        leader.commit();
        fill(1);
        copy.materialise();
        setBack(before);
        copy.disk.unreadable.add(queue(1));
        fill(1);
        copy.materialise();
        copy.time.pass(2_000);
        copy.disk.unreadable.clear();
        assertThat(copy.texts(queue(1))).containsExactly("lost");
        fill(1);
        assertThat(aside(1)).containsExactly("lost");
        check(1);
    }

    @Test
    void what_is_set_aside_is_exported_and_imported_as_such() throws Exception {
        StoreFixture.Left before = here();
        leader.connect(0, 1);
        append(1, "lost");
        append(1, LARGE);
        leader.commit();
        fill(1);
        setBack(before);
        fill(1);
        check(1);
        List<StoreItem> items = new ArrayList<>();
        new StoreExport(copy.disk, items::add).run();
        MemoryDisk other = imported(items);
        assertThat(AsideRows.counts(other)).isEqualTo(AsideRows.counts(copy.disk)).hasSize(1);
        assertThat(asideKeys(other)).isEqualTo(asideKeys(copy.disk)).hasSize(3);
        assertThat(other.rows(Family.PAYLOADS)).hasSize(1);
        List<StoreItem> others = new ArrayList<>();
        StoreExport without = new StoreExport(copy.disk, others::add).withoutAside();
        without.run();
        assertThat(without.asideLeftOut()).isEqualTo(2);
        MemoryDisk empty = imported(others);
        assertThat(asideKeys(empty)).isEmpty();
        assertThat(empty.rows(Family.PAYLOADS)).isEmpty();
    }

    private static MemoryDisk imported(List<StoreItem> items) throws Exception {
        MemoryDisk disk = new MemoryDisk();
        StoreImport to = new StoreImport(disk);
        for (StoreItem each : items) {
            to.item(each);
        }
        to.finish();
        assertThat(to.dropped()).isEmpty();
        List<String> problems = new ArrayList<>();
        new StoreVerify(disk, problems::add).run();
        assertThat(problems).isEmpty();
        return disk;
    }

    private static List<String> asideKeys(MemoryDisk disk) {
        List<String> keys = new ArrayList<>();
        for (Family family : List.of(Family.META, Family.QUEUES)) {
            for (byte[] key : disk.rows(family).keySet()) {
                boolean isRecord = family == Family.META && key[0] == 'A' && key.length > 9;
                if (isRecord || family == Family.QUEUES && AsideRows.isAside(key)) {
                    keys.add(HexFormat.of().formatHex(key));
                }
            }
        }
        return keys;
    }

    @Test
    void crash_between_two_writes_loses_nothing_and_doubles_nothing() throws DiskFailure {
        boolean isDone = false;
        int cuts = 0;
        for (int writes = 0; !isDone; writes++, cuts++) {
            leader = new StoreFixture(LEADER);
            copy = new StoreFixture(8);
            wire = new CopyWire(leader, LEADER);
            opened = 0;
            leader.connect(0, 1);
            append(1, "known");
            StoreFixture.Left before = here();
            append(1, LARGE);
            append(1, "lost");
            leader.connect(0, 2);
            append(2, "lost, too");
            leader.commit();
            fill(1, 2);
            copy.materialise();
            setBack(before);
            copy.disk.flushEvery = 1;
            copy.disk.writesLeft = writes;
            fill(1, 2);
            copy.materialise();
            copy.time.pass(2_000);
            isDone = copy.failure == null;
            copy.disk.writesLeft = -1;
            copy = copy.afterCrash();
            wire.resume(copy);
            wire.deliver(copy);
            assertThat(aside(1)).as("%s writes", writes).containsExactly(LARGE, "lost");
            assertThat(aside(2)).as("%s writes", writes).containsExactly("lost, too");
            assertThat(entriesAside()).isEqualTo(3);
            check(1, 2);
        }
        assertThat(cuts).isGreaterThan(4);
    }
}
