package io.godwit.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.Property;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Mutated packets, 200 000 in each build; more by {@code mvn -pl broker-core -am test
 * -Dtest=PacketFuzzTest -Dsurefire.failIfNoSpecifiedTests=false -Dfuzz.inputs=5000000
 * [-Dfuzz.seed=...]}.
 */
class PacketFuzzTest {
    private static final long INPUTS = Long.getLong("fuzz.inputs", 200_000);
    private static final long SEED = Long.getLong("fuzz.seed", 1);

    /** A bug must show within as many inputs as a build runs. */
    private static final long BUG_INPUTS = 200_000;

    /** Bugs that decoders have had, planted for the fuzzer to find. */
    enum Planted {
        UTF8_IS_NOT_CHECKED(() ->
                new PacketReader() {
                    @Override
                    boolean isUtf8(int length) {
                        return true;
                    }
                }),
        A_PROPERTY_MAY_STAND_TWICE(() ->
                new PacketReader() {
                    @Override
                    Property property(PropertyScope scope, int seen) {
                        return super.property(scope, 0);
                    }
                }),
        ONE_BYTE_IS_READ_BEYOND_THE_END(() ->
                new PacketReader() {
                    @Override
                    void require(int bytes) {
                        super.require(bytes - 1);
                    }
                }),
        A_LENGTH_FIELD_IS_BELIEVED(() ->
                new PacketReader() {
                    @Override
                    byte[] binary() {
                        byte[] room = new byte[buffer().getUnsignedShort(index())];
                        byte[] bytes = super.binary();
                        System.arraycopy(bytes, 0, room, 0, bytes.length);
                        return room;
                    }
                });

        private final Supplier<PacketReader> readers;

        Planted(Supplier<PacketReader> readers) {
            this.readers = readers;
        }
    }

    @Test
    void no_mutated_packet_gets_the_decoder_out_of_step() {
        PacketFuzzer fuzzer = new PacketFuzzer();
        String finding = fuzzer.run(SEED, INPUTS);
        System.out.printf(
                "fuzz: %d inputs, %d reached the body, %d accepted, %d refused%n",
                fuzzer.inputs, fuzzer.reachedBody, fuzzer.accepted, fuzzer.refused);
        assertThat(finding).isNull();
        assertThat(fuzzer.inputs).isEqualTo(INPUTS);
        assertThat(fuzzer.reachedBody).isGreaterThan(INPUTS * 30 / 100);
        assertThat(fuzzer.accepted).isGreaterThan(INPUTS / 10);
        assertThat(fuzzer.refused).isGreaterThan(INPUTS / 10);
    }

    @ParameterizedTest
    @EnumSource(Planted.class)
    void a_planted_bug_is_found(Planted bug) {
        PacketFuzzer fuzzer = new PacketFuzzer(bug.readers);
        String finding = fuzzer.run(SEED, BUG_INPUTS);
        System.out.printf("fuzz: %s found at input %d: %s%n", bug, fuzzer.inputs, finding);
        assertThat(finding).isNotNull();
    }
}
