package io.godwit.persistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Will;
import io.godwit.core.store.Inbound;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.KeptWill;
import io.godwit.core.store.Recovery.KeptInFlight;
import io.godwit.core.store.Recovery.KeptSession;
import io.godwit.core.store.RowRead;
import io.godwit.persistence.disk.Batch;
import io.godwit.persistence.disk.Family;
import io.godwit.persistence.disk.StoreFormat;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.StoreVerify;
import io.godwit.persistence.inspect.StoreView;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.persistence.upgrade.StoreUpgrade;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store that the code of format 1 wrote, as kill -9 left it: rows of every kind, and a journal
 * that nobody had closed. It is recorded, since no code writes it any more.
 */
class UpgradeTest {
    @TempDir Path temp;
    private Path store;

    @BeforeEach
    void unpack() throws Exception {
        store = temp.resolve("store");
        InputStream recorded =
                Objects.requireNonNull(UpgradeTest.class.getResourceAsStream("store-format-1.zip"));
        try (ZipInputStream zip = new ZipInputStream(recorded)) {
            for (ZipEntry each = zip.getNextEntry(); each != null; each = zip.getNextEntry()) {
                Path file = temp.resolve(each.getName());
                Files.createDirectories(Objects.requireNonNull(file.getParent()));
                Files.write(file, zip.readAllBytes());
            }
        }
    }

    @Test
    void a_store_of_format_1_is_brought_forward_with_all_that_is_in_it() throws Exception {
        StoreUpgrade.run(store, 99);
        assertThat(Files.list(temp).map(each -> each.getFileName().toString()).toList())
                .doesNotContain("store.upgraded", "store.format-1");
        assertThat(problems()).isEmpty();
        try (SmallStore opened = new SmallStore(store)) {
            sessions(opened);
            queues(opened);
            // That of queues that never had a row, too.
            for (long queueId : opened.recovered.sessions.keySet()) {
                assertThat(opened.store.coverage(queueId).covers(1_000, 7)).isTrue();
            }
            assertThat(opened.recovered.retained).containsOnlyKeys("r/1", "r/3");
            Message third = Objects.requireNonNull(opened.recovered.retained.get("r/3"));
            assertThat(third.payload).isEqualTo("third".getBytes(StandardCharsets.UTF_8));
            assertThat(third.qos).isEqualTo((byte) 2);
            assertThat(opened.floor.startNumber()).isGreaterThanOrEqualTo(2);
            opened.append(1, opened.message("after"));
            opened.materialise();
            assertThat(opened.texts(1)).endsWith("after").hasSize(7);
        }
        // Once more: there is nothing left to do.
        StoreUpgrade.run(store, 99);
        assertThat(problems()).isEmpty();
    }

    private static void sessions(SmallStore opened) {
        assertThat(opened.recovered.sessions)
                .containsOnlyKeys(
                        SmallStore.queue(1),
                        SmallStore.queue(2),
                        SmallStore.queue(3),
                        SmallStore.queue(6));
        KeptSession first = opened.recovered.session(SmallStore.queue(1));
        assertThat(first.clientId()).hasToString("c1");
        assertThat(first.record().disconnectedAtMs()).isEqualTo(1_700_000_000_500L);
        assertThat(first.record().expirySeconds()).isEqualTo(3600);
        assertThat(first.record().generation().server()).isEqualTo(7);
        KeptWill kept = Objects.requireNonNull(first.record().will());
        Will will = kept.will();
        assertThat(will.topic()).hasToString("will/1");
        assertThat(will.delaySeconds()).isEqualTo(30);
        assertThat(will.retain()).isTrue();
        assertThat(will.properties().size()).isEqualTo(1);
        assertThat(will.properties().userCount()).isEqualTo(1);
        assertThat(kept.ingress().server()).isEqualTo(7);
        assertThat(first.subscriptions()).hasSize(1);
        assertThat(first.subscriptions().getFirst().filter()).hasToString("a/+");
        assertThat(first.subscriptions().getFirst().ids()).containsExactly(1);

        KeptSession second = opened.recovered.session(SmallStore.queue(2));
        assertThat(second.inbound()).hasSize(1);
        assertThat(second.inbound().getFirst().packetId).isEqualTo(21);
        assertThat(second.inbound().getFirst().taken).isTrue();

        KeptSession third = opened.recovered.session(SmallStore.queue(3));
        assertThat(third.subscriptions().getFirst().filter()).hasToString("$share/g/t");
        assertThat(third.inbound()).hasSize(1);
        assertThat(third.inbound().getFirst().packetId).isEqualTo(22);
        Inbound open = third.inbound().getFirst();
        assertThat(open.taken).isFalse();
        IngressId ingress = new IngressId(open.ingressServer, open.ingressCounter);
        assertThat(first.remembered()).extracting(KeptIngress::ingress).contains(ingress);
        assertThat(second.remembered()).extracting(KeptIngress::ingress).doesNotContain(ingress);
    }

    private static void queues(SmallStore opened) {
        assertThat(opened.texts(1))
                .containsExactly("one", "two", "expires", "L".repeat(6000), "journaled", "half");
        assertThat(opened.texts(2)).containsExactly("L".repeat(6000), "idle of two");
        assertThat(opened.texts(5)).isEmpty();
        assertThat(inFlight(opened, 2))
                .containsExactly("11 flight", "12 marked", "13 -", "14 journaled in flight");
        // What members have in flight stands with the group; what they have got, with them.
        assertThat(inFlight(opened, 3)).containsExactly("32 got");
        assertThat(inFlight(opened, 4)).containsExactly("31 lent");
        List<KeptInFlight> sent =
                Objects.requireNonNull(opened.recovered.inFlight.get(SmallStore.queue(4)));
        assertThat(sent).hasSize(1);
        assertThat(sent.getFirst().packetId()).isEqualTo(31);
        assertThat(sent.getFirst().to().session())
                .isEqualTo(
                        new SessionKey(
                                SmallStore.queue(3),
                                opened.recovered
                                        .session(SmallStore.queue(3))
                                        .record()
                                        .generation()));
        assertThat(opened.recovered.groups).containsOnlyKeys(SmallStore.queue(4));
        assertThat(opened.texts(4)).containsExactly("of the group");
    }

    private static List<String> inFlight(SmallStore opened, int queue) {
        StoreFixture.Page page =
                new StoreFixture.Page(
                        SmallStore.queue(queue), RowRead.Section.IN_FLIGHT, HybridId.NONE, 1000);
        opened.ops().read(page);
        while (!page.isRead && opened.time.step()) {}
        List<String> found = new ArrayList<>();
        for (StoreFixture.Entry each : page.entries) {
            assertThat(each.server).isEqualTo(7);
            found.add(each.packetId + " " + each.text());
        }
        page.markers.forEach(marker -> found.add(marker.split(" ", -1)[1] + " got"));
        return found;
    }

    private List<String> problems() throws Exception {
        try (StoreView view = StoreView.open(store)) {
            List<String> problems = new ArrayList<>(view.problems());
            new StoreVerify(view.disk(), problems::add).run();
            return problems;
        }
    }

    @Test
    void a_damaged_one_is_left_as_it_is() throws Exception {
        Path segment = store.resolve("journal").resolve("0000000000000001.segment");
        byte[] bytes = Files.readAllBytes(segment);
        int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf("journaled in flight");
        bytes[at] ^= 1;
        Files.write(segment, bytes);
        byte[] list = Files.readAllBytes(store.resolve("journal").resolve("segments"));
        assertThat(new String(list, StandardCharsets.US_ASCII)).contains("format 1");
        assertThatThrownBy(() -> StoreUpgrade.run(store, 99))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("can't be upgraded")
                .hasMessageContaining("left as it was");
        assertThat(Files.readAllBytes(segment)).isEqualTo(bytes);
    }

    @Test
    void a_newer_one_is_refused_with_a_sentence() throws Exception {
        StoreUpgrade.run(store, 99);
        try (RocksDisk disk = RocksDisk.open(store)) {
            Batch batch = new Batch();
            byte[] number = ByteBuffer.allocate(4).putInt(StoreFormat.VERSION + 1).array();
            batch.put(Family.META, StoreFormat.key(), number);
            disk.write(batch);
            disk.flush();
        }
        StoreUpgrade.run(store, 99);
        assertThatThrownBy(() -> RocksDisk.open(store))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("of a newer Godwit");
    }
}
