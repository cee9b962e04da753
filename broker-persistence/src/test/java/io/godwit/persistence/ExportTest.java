package io.godwit.persistence;

import static io.godwit.persistence.LookedAt.LARGE;
import static io.godwit.persistence.LookedAt.killed;
import static io.godwit.persistence.LookedAt.verify;
import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Message;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.persistence.disk.Disk;
import io.godwit.persistence.inspect.Queues;
import io.godwit.persistence.inspect.StoreExport;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.inspect.StoreItem;
import io.godwit.persistence.inspect.StoreView;
import io.godwit.persistence.rocks.RocksDisk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExportTest {
    @TempDir Path temp;

    @Test
    void what_was_taken_out_and_brought_back_is_the_same() throws Exception {
        Path store = killed(temp);
        List<StoreItem> all = new ArrayList<>();
        List<String> before;
        try (StoreView view = StoreView.open(store)) {
            new StoreExport(view.disk(), all::add).run();
            before = items(view.disk());
        }
        Path other = temp.resolve("other");
        try (RocksDisk target = RocksDisk.open(other)) {
            StoreImport to = new StoreImport(target);
            for (StoreItem each : all) {
                to.item(each);
            }
            to.finish();
            assertThat(to.dropped()).isEmpty();
        }
        assertThat(verify(other)).isEmpty();
        try (StoreView view = StoreView.open(other)) {
            assertThat(items(view.disk())).isEqualTo(before).hasSize(20);
        }
        try (SmallStore started = new SmallStore(other)) {
            assertThat(started.floor.clock()).isGreaterThanOrEqualTo(clock(all));
            assertThat(started.texts(2)).containsExactly(LARGE, "journal only");
            assertThat(started.recovered.session(SmallStore.queue(1)).subscriptions()).hasSize(2);
            assertThat(started.recovered.retained).containsKey("kept");
        }
    }

    @Test
    void session_that_is_set_aside_is_imported_as_set_aside_with_its_messages() throws Exception {
        Path store = temp.resolve("store");
        List<StoreItem> all = new ArrayList<>();
        try (SmallStore made = new SmallStore(store)) {
            made.session(1);
            made.subscribe(1, "t");
            made.append(1, made.message("a row"));
            made.materialise();
            made.append(1, made.message("journal only"));
            made.setAside(1);
            made.commit();
            try (StoreView view = StoreView.open(made.killed(temp.resolve("killed")))) {
                new StoreExport(view.disk(), all::add).run();
            }
        }
        assertThat(all)
                .filteredOn(StoreItem.Session.class::isInstance)
                .singleElement()
                .satisfies(each ->
                        assertThat(((StoreItem.Session) each).session().isAside()).isTrue());
        Path other = temp.resolve("other");
        try (RocksDisk target = RocksDisk.open(other)) {
            StoreImport to = new StoreImport(target);
            for (StoreItem each : all) {
                to.item(each);
            }
            to.finish();
        }
        assertThat(verify(other)).isEmpty();
        try (SmallStore started = new SmallStore(other)) {
            KeptSession session = started.recovered.session(SmallStore.queue(1));
            assertThat(session.record().isAside()).isTrue();
            assertThat(session.subscriptions()).hasSize(1);
            assertThat(started.texts(1)).containsExactly("a row", "journal only");
        }
    }

    private static long clock(List<StoreItem> all) {
        long clock = 0;
        for (StoreItem each : all) {
            clock =
                    each instanceof StoreItem.Queued row
                            ? Math.max(clock, row.id().clock())
                            : clock;
        }
        assertThat(clock).isPositive();
        return clock;
    }

    private static List<String> items(Disk disk) throws Exception {
        List<String> items = new ArrayList<>();
        new StoreExport(
                        disk,
                        item -> {
                            if (!(item instanceof StoreItem.Floors)) {
                                items.add(text(item));
                            }
                        })
                .run();
        return items;
    }

    private static String text(Message message) {
        return message.topic
                + " "
                + Arrays.toString(message.payload).hashCode()
                + " "
                + Arrays.toString(message.properties)
                + message.qos
                + message.retain
                + message.expiresAtMs
                + " "
                + message.ingressServer
                + ":"
                + message.ingressCounter;
    }

    /** Everything of an item; arrays by what is in them. */
    private static String text(StoreItem item) {
        return switch (item) {
            case StoreItem.Subscription each ->
                    "subscription "
                            + each.queueId()
                            + each.filter()
                            + each.qos()
                            + each.noLocal()
                            + each.retainAsPublished()
                            + Arrays.toString(each.ids());
            case StoreItem.InboundPublish each ->
                    "inbound "
                            + each.queueId()
                            + ":"
                            + each.packetId()
                            + ":"
                            + each.ingress().counter()
                            + each.taken();
            case StoreItem.Predecessor each -> "before " + each;
            case StoreItem.Remembered each ->
                    "remembered " + each.queueId() + ":" + each.id() + ":" + each.ingress();
            case StoreItem.Payload each -> "payload " + text(each.message());
            case StoreItem.Retained each -> "retained " + text(each.message());
            case StoreItem.Queued each ->
                    "queued "
                            + each.queueId()
                            + ":"
                            + Queues.text(each.id())
                            + each.idle()
                            + each.qos()
                            + each.retain()
                            + Arrays.toString(each.ids())
                            + each.packetId()
                            + (each.body() instanceof StoreItem.Body.Own own
                                    ? text(own.message())
                                    : each.body());
            default -> item.toString();
        };
    }
}
