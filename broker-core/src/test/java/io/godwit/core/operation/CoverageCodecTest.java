package io.godwit.core.operation;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.message.Coverage;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;

/** What a queue has covered: joined, and written in bytes that stay so. */
class CoverageCodecTest {
    @Test
    void coverage_joins_what_meets_and_keeps_gaps() {
        Coverage coverage = new Coverage();
        coverage.add(7, 10, 20);
        coverage.add(7, 30, 40);
        coverage.add(8, 1, 2);
        assertThat(coverage.covers(10, 7)).isFalse();
        assertThat(coverage.covers(11, 7)).isTrue();
        assertThat(coverage.covers(20, 7)).isTrue();
        assertThat(coverage.covers(25, 7)).isFalse();
        assertThat(coverage.covers(15, 8)).isFalse();
        coverage.add(7, 20, 30);
        assertThat(coverage).hasToString("7[10, 40] 8[1, 2]");
        ByteWriter out = new ByteWriter(16);
        CoverageCodec.write(out, coverage);
        assertThat(HexFormat.of().formatHex(out.toBytes()))
                .isEqualTo(
                        "02"
                                + "000007"
                                + "01"
                                + "000000000000000a"
                                + "1e"
                                + "000008"
                                + "01"
                                + "0000000000000001"
                                + "01");
        assertThat(CoverageCodec.read(new ByteReader(out.toBytes())))
                .hasToString(coverage.toString());
    }
}
