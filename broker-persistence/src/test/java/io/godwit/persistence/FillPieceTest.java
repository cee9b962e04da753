package io.godwit.persistence;

import static io.godwit.persistence.StoreFixture.queue;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.message.Remembered;
import io.godwit.core.operation.Op;
import io.godwit.core.operation.PartDecoder;
import io.godwit.core.operation.Subject;
import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.store.FillAsk;
import io.godwit.core.store.FillReader;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.Receiver;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.StoreFixture.Entry;
import io.godwit.persistence.StoreFixture.Page;
import io.godwit.persistence.disk.DiskFailure;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Pieces that fill another node's copy: rows, and what the window says of them. */
class FillPieceTest {
    private static final long MUCH = Long.MAX_VALUE;

    private final StoreFixture store = new StoreFixture();

    private static class Told implements FillReader {
        boolean hasMoment;
        @Nullable List<byte[]> bodies;
        @Nullable FillAsk next;
        @Nullable Throwable failure;

        @Override
        public void onMoment() {
            hasMoment = true;
        }

        @Override
        public void onRead(List<byte[]> read, int leftOut, @Nullable FillAsk rest) {
            assertThat(hasMoment).isTrue();
            bodies = read;
            next = rest;
        }

        @Override
        public void onFailed(Throwable cause) {
            failure = cause;
        }

        List<byte[]> bodies() {
            List<byte[]> there = bodies;
            if (there == null) {
                throw new AssertionError("no piece", failure);
            }
            return there;
        }
    }

    private Told ask(FillAsk ask) {
        Told told = new Told();
        store.store.readFill(ask, told);
        while (told.bodies == null && told.failure == null && store.time.step()) {}
        return told;
    }

    private Told ask(int messages, long... queueIds) {
        return ask(new FillAsk(queueIds, messages, MUCH));
    }

    private static List<String> texts(Told told) {
        List<String> texts = new ArrayList<>();
        for (byte[] body : told.bodies()) {
            PartDecoder in = new PartDecoder(body, 0, body.length);
            while (in.next()) {
                texts.add(text(in));
            }
        }
        return texts;
    }

    private static String text(PartDecoder in) {
        Message message = in.message;
        return switch (in.op) {
            case APPEND ->
                    "APPEND "
                            + (message == null
                                    ? "-"
                                    : new String(message.payload, StandardCharsets.UTF_8));
            case IN_FLIGHT, RELEASED, IN_FLIGHT_TO -> in.op + " " + in.packetId;
            case GOT -> "GOT " + ((Subject.Got) in.subject).packetId;
            case INBOUND, INBOUND_TAKEN -> in.op + " " + in.packetId;
            case REMEMBERED -> "REMEMBERED " + ((Remembered) in.subject).ingressCounter;
            case COPY_RANGE -> {
                Subject.CopyRange range = (Subject.CopyRange) in.subject;
                yield (range.isGone() ? "GONE" : "RANGE")
                        + (range.isFirst() ? " first" : "")
                        + (range.isLast() ? " last" : "");
            }
            default -> in.op.toString();
        };
    }

    @Test
    void piece_has_rows_as_the_window_has_changed_them() {
        store.connect(0, 1);
        Entry a = store.append(0, queue(1), store.message("a"));
        Entry b = store.append(0, queue(1), store.message("b", 2, Message.NEVER));
        Entry c = store.append(0, queue(1), store.message("c", 2, Message.NEVER));
        store.commit();
        store.materialise();
        store.shard(0).remove(a);
        b.packetId = 5;
        store.shard(0).inFlight(b);
        c.packetId = 6;
        store.shard(0).inFlight(c);
        c.dropMessage();
        store.shard(0).released(c);
        store.append(0, queue(1), store.message("d"));
        store.commit();

        assertThat(texts(ask(100, queue(1))))
                .containsExactly(
                        "RANGE first last",
                        "SESSION",
                        "APPEND b",
                        "IN_FLIGHT 5",
                        "APPEND -",
                        "RELEASED 6",
                        "APPEND d");
        // Rows alone still show it.
        Page rows = store.read(queue(1), RowRead.Section.IDLE);
        assertThat(rows.entries).extracting(Entry::text).contains("a");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void piece_has_every_kind_of_record(boolean areRows) {
        store.connect(0, 1);
        Inbound taken = new Inbound(queue(1), 3, 7, 11);
        store.shard(0).putInbound(taken);
        store.shard(0).putInbound(new Inbound(queue(1), 4, 7, 12));
        store.shard(0).inboundTaken(taken);
        store.shard(0).putMarker(queue(1), 5, 9, 8, 7, 13);
        store.connect(0, 2);
        store.shard(0).putPredecessor(queue(2), queue(1));
        Entry entry = store.append(0, queue(2), store.message("m", 2, Message.NEVER));
        store.remember(0, entry);
        store.shard(0).putGroup(TopicFilter.of("$share/g/t"), 4, queue(3));
        Entry sent = store.append(0, queue(3), store.message("g", 2, Message.NEVER));
        sent.packetId = 9;
        Receiver member =
                new Receiver(new SessionKey(queue(1), new HybridId(1, 7)), ClientId.of("member"));
        store.shard(0).inFlightTo(sent, member);
        store.commit();
        if (areRows) {
            store.materialise();
        }

        assertThat(texts(ask(100, queue(1), queue(2), queue(3), queue(4))))
                .containsExactly(
                        "RANGE first last",
                        "SESSION",
                        "INBOUND 3",
                        "INBOUND_TAKEN 3",
                        "INBOUND 4",
                        "GOT 8",
                        "RANGE first last",
                        "SESSION",
                        "PRECEDED_BY",
                        "APPEND m",
                        "REMEMBERED " + entry.ingressCounter(),
                        "RANGE first last",
                        "GROUP",
                        "APPEND g",
                        "IN_FLIGHT_TO 9",
                        "GONE first last");
    }

    @Test
    void piece_is_as_long_as_was_asked_and_tells_how_to_go_on() {
        store.connect(0, 1);
        store.connect(0, 2);
        for (int i = 0; i < 10; i++) {
            store.append(0, queue(1), store.message("m" + i));
            if (i == 4) {
                store.commit();
                store.materialise();
            }
        }
        store.commit();

        Told first = ask(4, queue(1), queue(2));
        FillAsk next = first.next;
        assertThat(texts(first))
                .containsExactly(
                        "RANGE first",
                        "SESSION",
                        "APPEND m0",
                        "APPEND m1",
                        "APPEND m2",
                        "APPEND m3");
        assertThat(next).isNotNull();
        Told second =
                ask(new FillAsk(next.queueIds(), next.above(), 6, MUCH, FillAsk.Copied.NOTHING));
        assertThat(texts(second))
                .containsExactly(
                        "RANGE last",
                        "APPEND m4",
                        "APPEND m5",
                        "APPEND m6",
                        "APPEND m7",
                        "APPEND m8",
                        "APPEND m9");
        FillAsk last = second.next;
        assertThat(last).isNotNull();
        Told third = ask(last);
        assertThat(texts(third)).containsExactly("RANGE first last", "SESSION");
        assertThat(third.next).isNull();
    }

    @Test
    void what_is_removed_behind_the_moment_is_in_the_piece() {
        store.connect(0, 1);
        Entry entry = store.append(0, queue(1), store.message("a"));
        store.commit();
        Told told =
                new Told() {
                    @Override
                    public void onMoment() {
                        super.onMoment();
                        store.shard(0).remove(entry);
                        store.append(0, queue(1), store.message("later"));
                        store.shard(0).commit();
                    }
                };
        store.store.readFill(new FillAsk(new long[] {queue(1)}, 10, MUCH), told);
        store.time.pass(5_000);

        assertThat(texts(told)).containsExactly("RANGE first last", "SESSION", "APPEND a");
    }

    @Test
    void large_piece_comes_as_several_bodies() {
        store.connect(0, 1);
        for (int i = 0; i < 100; i++) {
            store.append(0, queue(1), store.message("m".repeat(10_000)));
        }
        store.commit();

        Told told = ask(1_000, queue(1));

        assertThat(told.bodies()).hasSizeBetween(4, 5);
        assertThat(told.bodies()).allMatch(each -> each.length < 300_000);
        assertThat(texts(told)).hasSize(102);
    }

    @Test
    void queue_of_another_node_is_not_told_as_if_it_were_this_nodes() {
        StoreFixture leader = new StoreFixture(9);
        CopyWire wire = new CopyWire(leader, 9);
        wire.open();
        leader.connect(0, 1);
        leader.commit();
        wire.deliver(store);

        assertThat(ask(10, queue(1)).failure).hasMessageContaining("another node's");
    }

    @Test
    void pages_that_shards_wait_for_go_first() {
        store.append(0, queue(1), store.message("a"));
        store.commit();
        store.materialise();
        List<String> order = new ArrayList<>();
        Told told =
                new Told() {
                    @Override
                    public void onRead(List<byte[]> read, int leftOut, @Nullable FillAsk rest) {
                        order.add("copy");
                        super.onRead(read, leftOut, rest);
                    }
                };
        store.store.readFill(new FillAsk(new long[] {queue(1)}, 10, MUCH), told);
        Page[] pages = new Page[3];
        for (int i = 0; i < pages.length; i++) {
            pages[i] =
                    new Page(queue(1), RowRead.Section.IDLE, HybridId.NONE, 10) {
                        @Override
                        public void onRead(@Nullable Throwable cause) {
                            order.add("shard");
                            super.onRead(cause);
                        }
                    };
        }
        // The piece stands first with the read worker.
        store.time.worker.execute(
                () -> store.time.worker.execute(() -> store.shard(0).read(pages[0])));
        store.shard(0).read(pages[1]);
        store.shard(0).read(pages[2]);
        while (order.size() < 4 && store.time.step()) {}

        assertThat(order).containsExactly("shard", "shard", "shard", "copy");
    }

    @Test
    void whoever_asks_when_the_store_closes_hears_of_it() {
        FillAsk ask = new FillAsk(new long[] {queue(1)}, 10, MUCH);
        Told waits = new Told();
        Told late = new Told();
        store.append(0, queue(1), store.message("a"));
        store.commit();
        store.store.readFill(ask, waits);
        store.store.close();
        store.store.readFill(ask, late);
        store.time.pass(100);

        assertThat(waits.failure).isNotNull();
        assertThat(late.failure).isNotNull();
    }

    @Test
    void piece_that_nobody_has_read_yet_keeps_no_real_store_open(@TempDir Path folder)
            throws Exception {
        FillAsk ask = new FillAsk(new long[] {SmallStore.queue(1)}, 100, MUCH);
        Told read = new Told();
        Told opened = new Told();
        try (SmallStore real = new SmallStore(folder)) {
            real.session(1);
            real.subscribe(1, "a/#");
            for (int i = 0; i < 10; i++) {
                real.append(1, real.message("m" + i));
            }
            real.materialise();
            real.append(1, real.message("in the window"));
            real.commit();
            real.store.readFill(ask, read);
            while (read.bodies == null && real.time.step()) {}
            real.store.readFill(ask, opened);
            // The commit worker, then the row worker, which opens it.
            real.time.step();
            real.time.step();
        }
        assertThat(texts(read)).hasSize(14).contains("SUBSCRIPTION", "APPEND in the window");
        assertThat(opened.bodies).isNull();
        assertThat(opened.failure).hasMessage("closed");
    }

    /** What a copy has of an older stream, and what has come by the tail, is replaced. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void stale_copy_has_only_what_its_leader_has(boolean areRows) {
        StoreFixture leader = new StoreFixture(9);
        CopyWire wire = new CopyWire(leader, 9);
        wire.open();
        leader.connect(0, 1);
        leader.connect(0, 2);
        leader.shard(0).putPredecessor(queue(1), queue(2));
        Entry stale = leader.append(0, queue(1), leader.message("stale", 2, Message.NEVER));
        Remembered remembered = leader.remember(0, stale);
        Inbound inbound = new Inbound(queue(1), 3, 7, 11);
        Entry stays = leader.append(0, queue(1), leader.message("stays", 2, Message.NEVER));
        stays.packetId = 4;
        leader.shard(0).inFlight(stays);
        leader.shard(0).putInbound(inbound);
        leader.shard(0).putMarker(queue(1), 5, 9, 3, 7, 12);
        leader.connect(0, 3);
        leader.append(0, queue(3), leader.message("of a session that ends"));
        leader.commit();
        wire.deliver(store);
        if (areRows) {
            store.materialise();
        }
        // Away for a while.
        leader.shard(0).remove(stale);
        leader.shard(0).forget(remembered);
        leader.shard(0).removeInbound(inbound);
        leader.shard(0).removeMarker(queue(1), 5, 9);
        leader.shard(0).removeSession(ClientId.of("c2"), queue(2), leader.stamp());
        leader.shard(0).removeSession(ClientId.of("c3"), queue(3), leader.stamp());
        leader.commit();
        wire.open();
        leader.append(0, queue(1), leader.message("tail"));
        leader.commit();

        wire.fillAll(100, queue(1), queue(2), queue(3));
        wire.deliver(store);

        assertThat(StoreContents.digests(store).keySet()).containsExactly(queue(1));
        leader.materialise();
        leader.time.pass(1_000);
        store.materialise();
        store.time.pass(1_000);
        assertThat(StoreContents.digests(store)).isEqualTo(StoreContents.digests(leader));
        assertThat(StoreContents.rows(store)).isEqualTo(StoreContents.rows(leader));
        assertThat(store.texts(queue(1))).containsExactly("tail");
    }

    @Test
    void piece_that_comes_twice_changes_nothing() {
        StoreFixture leader = new StoreFixture(9);
        CopyWire wire = new CopyWire(leader, 9);
        leader.connect(0, 1);
        Entry entry = leader.append(0, queue(1), leader.message("a", 2, Message.NEVER));
        leader.remember(0, entry);
        leader.commit();
        wire.open();
        wire.fillAll(100, queue(1));
        wire.fillAll(100, queue(1));
        wire.deliver(store);
        assertThat(StoreContents.digests(store)).isEqualTo(StoreContents.digests(leader));
        store.materialise();
        wire.fillAll(1, queue(1));
        wire.deliver(store);
        store.materialise();

        assertThat(StoreContents.digests(store)).isEqualTo(StoreContents.digests(leader));
        assertThat(store.texts(queue(1))).containsExactly("a");
    }

    @Test
    void half_filled_copy_is_filled_on_after_a_start() throws DiskFailure {
        StoreFixture leader = new StoreFixture(9);
        CopyWire wire = new CopyWire(leader, 9);
        leader.connect(0, 1);
        for (int i = 0; i < 10; i++) {
            leader.append(0, queue(1), leader.message("m" + i));
        }
        leader.commit();
        wire.open();
        FillAsk ask = new FillAsk(new long[] {queue(1)}, 4, MUCH);
        wire.fill(ask);
        wire.await();
        FillAsk next = wire.next;
        assertThat(next).isNotNull();
        leader.append(0, queue(1), leader.message("tail"));
        leader.commit();
        wire.deliver(store);
        StoreFixture copy = store.afterCrash();
        wire.resume(copy);
        assertThat(wire.waiting()).isZero();
        assertThat(copy.texts(queue(1))).containsExactly("m0", "m1", "m2", "m3", "tail");

        wire.fill(new FillAsk(next.queueIds(), next.above(), 100, MUCH, FillAsk.Copied.NOTHING));
        wire.await();
        wire.deliver(copy);

        assertThat(StoreContents.digests(copy)).isEqualTo(StoreContents.digests(leader));
        assertThat(copy.recovered.sessions).isEmpty();
    }

    @Test
    void journal_with_a_range_of_a_copy_is_no_older_builds_to_read() throws DiskFailure {
        StoreFixture leader = new StoreFixture(9);
        CopyWire wire = new CopyWire(leader, 9);
        wire.open();
        leader.connect(0, 1);
        leader.commit();
        wire.deliver(store);
        wire.fillAll(10, queue(1));
        wire.deliver(store);

        List<Integer> formats = new ArrayList<>();
        store.journal.replay(0, 0, (position, flags, record) -> formats.add((int) record[1]));
        // What it has beside the piece opens with any of them.
        assertThat(formats).containsExactly(2, 4);
    }

    @Test
    void session_that_lives_again_under_its_queue_id_is_copied_again() {
        StoreFixture leader = new StoreFixture(9);
        CopyWire wire = new CopyWire(leader, 9);
        wire.open();
        leader.connect(0, 1);
        leader.commit();
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.commit();
        leader.connect(0, 1);
        leader.commit();
        wire.deliver(store);
        leader.append(0, queue(1), leader.message("in the window"));
        leader.commit();
        wire.deliver(store);
        store.materialise();
        leader.append(0, queue(1), leader.message("as rows"));
        leader.commit();
        wire.deliver(store);
        store.materialise();
        // Again, when its end is on the disk.
        leader.shard(0).removeSession(ClientId.of("c1"), queue(1), leader.stamp());
        leader.commit();
        wire.deliver(store);
        store.materialise();
        store.time.pass(1_000);
        leader.connect(0, 1);
        leader.commit();
        wire.deliver(store);
        leader.append(0, queue(1), leader.message("of its third life"));
        leader.commit();
        wire.deliver(store);
        store.materialise();

        assertThat(store.texts(queue(1))).containsExactly("of its third life");
        assertThat(StoreContents.digests(store)).hasSize(1);
    }

    @Test
    void bodies_hold_operations_that_every_copy_knows() {
        store.connect(0, 1);
        store.commit();
        byte[] body = ask(10, queue(1)).bodies().getFirst();
        PartDecoder in = new PartDecoder(body, 0, body.length);
        assertThat(in.leader()).isEqualTo(7);
        assertThat(in.next()).isTrue();
        assertThat(in.op).isEqualTo(Op.COPY_RANGE);
        assertThat(in.format()).isEqualTo(4);
        assertThat(Arrays.equals(body, ask(10, queue(1)).bodies().getFirst())).isTrue();
    }
}
