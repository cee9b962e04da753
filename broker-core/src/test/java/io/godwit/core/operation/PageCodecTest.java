package io.godwit.core.operation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.core.id.HybridId;
import io.godwit.core.id.IngressId;
import io.godwit.core.id.SessionKey;
import io.godwit.core.message.Coverage;
import io.godwit.core.message.Message;
import io.godwit.core.packet.Topic;
import io.godwit.core.store.CopyPage;
import io.godwit.core.store.CopyPage.Entry;
import io.godwit.core.store.CopyPage.Status;
import io.godwit.core.store.KeptIngress;
import io.godwit.core.store.Receiver;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A page as other nodes read it. */
class PageCodecTest {
    private static final long COUNTER = IngressId.counter(3, 9);
    private static final String HEAD =
            "0000000000000105" // queue id
                    + "07" // position
                    + "000000000000000a"
                    + "000001" // above
                    + "0000000000000040"
                    + "000002" // up to
                    + "01" // nothing above
                    + "01"
                    + "000001"
                    + "01"
                    + "000000000000000a"
                    + "36"; // coverage

    private static HybridId id(long clock, int server) {
        return new HybridId(clock, server);
    }

    private static Message message(String payload) {
        return new Message(
                new Topic("t".getBytes(StandardCharsets.UTF_8)),
                payload.getBytes(StandardCharsets.UTF_8),
                new byte[0],
                1,
                false,
                Message.NEVER,
                null,
                5,
                COUNTER);
    }

    private static CopyPage page(List<Entry> entries) {
        Coverage coverage = new Coverage();
        coverage.add(1, 0x0a, 0x40);
        List<KeptIngress> remembered =
                List.of(new KeptIngress(id(0x0b, 1), new IngressId(5, COUNTER)));
        return new CopyPage(
                0x105, 7, id(0x0a, 1), id(0x40, 2), coverage, entries, remembered, true);
    }

    private static List<Entry> entries() {
        Receiver member = new Receiver(new SessionKey(6, id(2, 1)), true, new int[] {4});
        return List.of(
                new Entry(
                        id(0x0b, 1),
                        Status.RELEASED,
                        300,
                        null,
                        2,
                        false,
                        new int[0],
                        null,
                        5,
                        COUNTER),
                entry(0x0c, 2, 1, null, message("x")),
                entry(0x0d, 2, 3, member, message("y")),
                entry(0x0e, 0, 0, null, message("z"), 8, 9),
                new Entry(
                        id(0x0f, 4), Status.GOT, 2, null, 2, false, new int[0], null, 5, COUNTER));
    }

    private static Entry entry(
            long clock,
            int qos,
            int packetId,
            @Nullable Receiver member,
            Message message,
            int... ids) {
        return new Entry(
                id(clock, 1),
                packetId == 0 ? Status.IDLE : Status.IN_FLIGHT,
                packetId,
                member,
                qos == 2 ? 2 : 1,
                qos == 0,
                ids,
                message,
                5,
                COUNTER);
    }

    private static byte[] bytes(CopyPage page) {
        ByteWriter out = new ByteWriter(64);
        PageCodec.write(out, page);
        return out.toBytes();
    }

    @Test
    void a_page_has_these_bytes() {
        String ingress = "000005" + "03" + "09";
        String message = "01" + ingress + "0174" + "01";
        assertThat(HexFormat.of().formatHex(bytes(page(entries()))))
                .isEqualTo(
                        HEAD
                                + "05"
                                + ("15" + "000000000000000b000001" + "ac02" + ingress)
                                + ("05" + "000000000000000c000001" + "01" + message + "78")
                                + ("25" + "000000000000000d000001" + "03")
                                + ("0000000000000006" + "0000000000000002000001" + "01" + "0104")
                                + (message + "79")
                                + ("0a" + "000000000000000e000001" + "020809" + message + "7a")
                                + ("55" + "000000000000000f000004" + "02" + ingress)
                                + ("01" + "000000000000000b000001" + ingress));
    }

    @Test
    void what_was_written_is_read() {
        CopyPage page = page(entries());

        CopyPage read = PageCodec.read(new ByteReader(bytes(page)));

        assertThat(read).usingRecursiveComparison().ignoringFields("coverage").isEqualTo(page);
        assertThat(read.coverage()).isEqualTo(page.coverage());
        assertThat(PageCodec.length(page)).isGreaterThanOrEqualTo(bytes(page).length);
    }

    @Test
    void a_page_that_is_cut_or_out_of_order_is_told() {
        byte[] whole = bytes(page(entries()));
        for (int length = 0; length < whole.length; length++) {
            ByteReader cut = new ByteReader(whole, 0, length);
            assertThatThrownBy(() -> PageCodec.read(cut))
                    .as("%s bytes", length)
                    .isInstanceOf(IndexOutOfBoundsException.class);
        }
        byte[] swapped = bytes(page(entries().reversed()));
        assertThatThrownBy(() -> PageCodec.read(new ByteReader(swapped)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
