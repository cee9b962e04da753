package io.godwit.core.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class NetworkTest {
    private static byte[] address(String text) {
        return Objects.requireNonNull(Network.address(text), text);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0, 10.255.255.255, 11.0.0.0",
        "192.0.2.128/25, 192.0.2.128, 192.0.2.255, 192.0.2.127",
        "192.0.2.7, 192.0.2.7, 192.0.2.7, 192.0.2.8",
        "0.0.0.0/0, 0.0.0.0, 255.255.255.255, ::1",
        "2001:db8::/32, 2001:db8::, 2001:db8:ffff::1, 2001:db9::",
        "2001:db8:0:1::/64, 2001:db8:0:1::, 2001:db8:0:1:ffff:ffff:ffff:ffff, 2001:db8:0:2::",
        "2001:db8::1:0/113, 2001:db8::1:0, 2001:db8::1:7fff, 2001:db8::1:8000",
        "fe80::1, fe80::1, FE80:0:0:0:0:0:0:1, fe80::2",
        "::/0, ::, ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff, 192.0.2.1",
        "::ffff:10.0.0.0/104, 10.0.0.0, ::ffff:10.255.255.255, 11.0.0.0",
        "::ffff:0:0/96, 0.0.0.0, 255.255.255.255, ::1",
        "10.0.0.0/8, ::ffff:10.0.0.1, ::ffff:0aff:ffff, ::10.0.0.1",
    })
    void network_contains_its_first_and_last_address_and_no_other(
            String network, String first, String last, String outside) {
        Network parsed = Network.parse(network).orElseThrow();
        assertThat(parsed.contains(address(first))).isTrue();
        assertThat(parsed.contains(address(last))).isTrue();
        assertThat(parsed.contains(address(outside))).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.0.0.0/8",
        "192.0.2.7/32, 192.0.2.7",
        "::ffff:192.0.2.0/120, 192.0.2.0/24",
        "2001:DB8::/32, 2001:db8:0:0:0:0:0:0/32",
        "::1, 0:0:0:0:0:0:0:1",
        "1:2:3:4:5:6:7::, 1:2:3:4:5:6:7:0",
        "::/0, 0:0:0:0:0:0:0:0/0",
    })
    void network_is_shown_as_it_can_be_written(String written, String shown) {
        Network parsed = Network.parse(written).orElseThrow();
        assertThat(parsed).hasToString(shown);
        assertThat(Network.parse(shown)).contains(parsed);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "localhost",
                "10.0.0.0/",
                "/8",
                "10.0.0.0/33",
                "10.0.0.0/-1",
                "10.0.0.0/+8",
                "10.0.0.0/8/8",
                "10.0.0.0/08888",
                "10.1.2.3/8",
                "::ffff:10.0.0.1/96",
                "10.0.0",
                "10.0.0.0.0",
                "10.0.0.256",
                "10.0.0.01",
                "10.0.0.",
                "10.0.0.\u0661",
                "1.2.3.4:80",
                ":",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "1:2:3:4::5:6:7:8",
                ":1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:",
                "12345::",
                "g::",
                "1.2.3.4::",
                "::1.2.3",
                "::1/129",
                "fe80::1%eth0",
                "[::1]",
            })
    void text_that_is_no_network_is_refused(String text) {
        assertThat(Network.parse(text)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"2001:db8:1:2:3:4:5:6, 64, 2001:db8:1:2::/64", "192.0.2.7, 120, 192.0.2.0/24"})
    void network_is_widened_to_the_one_of_its_first_bits(String one, int bits, String wide) {
        assertThat(Network.parse(one).orElseThrow().widened(bits))
                .isEqualTo(Network.parse(wide).orElseThrow());
    }
}
