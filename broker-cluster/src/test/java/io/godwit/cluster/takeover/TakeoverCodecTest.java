package io.godwit.cluster.takeover;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.cluster.takeover.TakeoverMessage.Ask;
import io.godwit.cluster.takeover.TakeoverMessage.Dropped;
import io.godwit.cluster.takeover.TakeoverMessage.Granted;
import io.godwit.cluster.takeover.TakeoverMessage.Header;
import io.godwit.cluster.takeover.TakeoverMessage.Keep;
import io.godwit.cluster.takeover.TakeoverMessage.Lose;
import io.godwit.cluster.takeover.TakeoverMessage.Missing;
import io.godwit.cluster.takeover.TakeoverMessage.NotHere;
import io.godwit.cluster.takeover.TakeoverMessage.Offer;
import io.godwit.cluster.takeover.TakeoverMessage.Oldest;
import io.godwit.cluster.takeover.TakeoverMessage.OutOfReach;
import io.godwit.cluster.takeover.TakeoverMessage.Over;
import io.godwit.cluster.takeover.TakeoverMessage.Room;
import io.godwit.cluster.takeover.TakeoverMessage.RoomWanted;
import io.godwit.cluster.takeover.TakeoverMessage.Settled;
import io.godwit.cluster.takeover.TakeoverMessage.Stands;
import io.godwit.cluster.takeover.TakeoverMessage.Take;
import io.godwit.cluster.takeover.TakeoverMessage.Tell;
import io.godwit.cluster.takeover.TakeoverMessage.Told;
import io.godwit.cluster.takeover.TakeoverMessage.ToldClaim;
import io.godwit.cluster.takeover.TakeoverMessage.Void;
import io.godwit.cluster.takeover.TakeoverMessage.Whole;
import io.godwit.cluster.takeover.TakeoverMessage.Withdraw;
import io.godwit.cluster.transport.NodeStart;
import io.godwit.core.id.IngressId;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;
import io.godwit.core.packet.ClientId;
import java.util.BitSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The bytes are given once and for all: nodes of another version read them. */
class TakeoverCodecTest {
    private static final ClientId CLIENT = ClientId.of("c1");
    private static final ClaimId CLAIM = new ClaimId(new NodeStart(0x010203, 5), 2, 300);
    private static final String C = "026331";
    private static final String K = "010203" + "05" + "03" + "ac02";

    record Vector(TakeoverMessage message, int code, String bytes) {}

    static List<Vector> vectors() {
        BitSet slots = new BitSet();
        slots.set(0);
        slots.set(9);
        Standing given = new Standing.Given(4, CLAIM, true);
        return List.of(
                new Vector(new Ask(CLIENT, CLAIM), 32, C + K),
                new Vector(
                        new Settled(CLIENT, CLAIM, new Standing.Home(7, true)),
                        33,
                        C + K + "010701"),
                new Vector(new Stands(CLIENT, Standing.NOTHING), 34, C + "00"),
                new Vector(new Stands(CLIENT, given), 34, C + "0204" + K + "01"),
                new Vector(new Stands(CLIENT, new Standing.Ended(9)), 34, C + "0309"),
                new Vector(
                        new Tell(
                                slots,
                                List.of(
                                        new Told(
                                                new NodeStart(1, 2),
                                                CLIENT,
                                                new Standing.Home(3, false),
                                                List.of(new ToldClaim(CLAIM, 8))))),
                        35,
                        "020102" + "01" + "00000102" + C + "010300" + "01" + K + "08"),
                new Vector(new Withdraw(slots, true), 36, "02010201"),
                new Vector(new Granted(CLIENT, CLAIM, 1, -1, 0), 37, C + K + "010000"),
                new Vector(new Granted(CLIENT, CLAIM, 9, 6, 8), 37, C + K + "090708"),
                new Vector(new OutOfReach(CLIENT, CLAIM, 6), 38, C + K + "000006"),
                new Vector(new Void(CLIENT, 6), 39, C + "06"),
                new Vector(new Lose(CLIENT, 6), 40, C + "06"),
                new Vector(new Take(CLIENT, CLAIM, 9, 8, true), 41, C + K + "090801"),
                new Vector(new Header(CLIENT, CLAIM, null), 42, C + K + "00"),
                new Vector(new NotHere(CLIENT, CLAIM), 43, C + K),
                new Vector(new Whole(CLIENT, 6), 44, C + "06"),
                new Vector(new Dropped(CLIENT, 6), 45, C + "06"),
                new Vector(new Room(300, 0), 47, "ac02"),
                new Vector(new Offer(CLIENT), 48, C),
                new Vector(new Oldest(CLIENT, 6), 49, C + "06"),
                new Vector(
                        new Keep(
                                slots,
                                List.of(
                                        new Told(
                                                new NodeStart(1, 2),
                                                CLIENT,
                                                new Standing.Home(3, true),
                                                List.of()))),
                        50,
                        "020102" + "01" + "00000102" + C + "010301" + "00"),
                new Vector(new Missing(6), 51, "000006"),
                new Vector(
                        new Over(
                                CLIENT,
                                6,
                                List.of(
                                        new IngressId(2, IngressId.counter(3, 7)),
                                        new IngressId(5, IngressId.counter(1, 300)))),
                        52,
                        C + "06" + "02" + "000002" + "0307" + "000005" + "01ac02"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void each_message_has_these_bytes_and_is_read_from_them(Vector vector) {
        ByteWriter out = new ByteWriter(16);
        TakeoverCodec.write(out, vector.message);

        assertThat(TakeoverCodec.code(vector.message)).isEqualTo(vector.code);
        assertThat(HexFormat.of().formatHex(out.toBytes())).isEqualTo(vector.bytes);
        ByteReader in = new ByteReader(HexFormat.of().parseHex(vector.bytes));
        assertThat(TakeoverCodec.read(vector.code, in)).isEqualTo(vector.message);
        assertThat(in.isAtEnd()).isTrue();
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void what_is_cut_is_told(Vector vector) {
        byte[] whole = HexFormat.of().parseHex(vector.bytes);

        assertThatThrownBy(() ->
                        TakeoverCodec.read(vector.code, new ByteReader(whole, 0, whole.length - 1)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    /** Numbers of questions came later: who does not know them leaves them. */
    @Test
    void a_question_and_its_answer_have_its_number_at_the_end() {
        assertThat(bytes(new RoomWanted(0))).isEmpty();
        assertThat(bytes(new RoomWanted(300))).isEqualTo("ac02");
        assertThat(bytes(new Room(5, 300))).isEqualTo("05ac02");

        assertThat(TakeoverCodec.code(new RoomWanted(300))).isEqualTo(46);
        assertThat(TakeoverCodec.read(46, new ByteReader(new byte[0])))
                .isEqualTo(new RoomWanted(0));
        assertThat(TakeoverCodec.read(46, new ByteReader(new byte[] {7})))
                .isEqualTo(new RoomWanted(7));
        assertThat(TakeoverCodec.read(47, new ByteReader(new byte[] {5, 7})))
                .isEqualTo(new Room(5, 7));
    }

    private static String bytes(TakeoverMessage message) {
        ByteWriter out = new ByteWriter(1);
        TakeoverCodec.write(out, message);
        return HexFormat.of().formatHex(out.toBytes());
    }

    @Test
    void a_header_comes_with_its_bytes() {
        byte[] bytes = HexFormat.of().parseHex(C + K + "01" + "03aabbcc");

        Header header =
                (Header) Objects.requireNonNull(TakeoverCodec.read(42, new ByteReader(bytes)));

        assertThat(header.header()).containsExactly(0xaa, 0xbb, 0xcc);
        ByteWriter out = new ByteWriter(16);
        TakeoverCodec.write(out, header);
        assertThat(out.toBytes()).isEqualTo(bytes);
    }

    @Test
    void a_slot_that_is_none_is_told() {
        byte[] bytes = new byte[2 + 513];
        bytes[0] = (byte) 0x81;
        bytes[1] = 0x04;
        bytes[bytes.length - 1] = 1;

        assertThatThrownBy(() -> TakeoverCodec.read(36, new ByteReader(bytes)))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessage("slot 4096");
    }
}
