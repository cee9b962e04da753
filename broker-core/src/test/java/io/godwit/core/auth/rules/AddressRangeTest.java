package io.godwit.core.auth.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.0/8, 10.255.0.1:1883, true",
        "10.0.0.0/8, 11.0.0.1:1883, false",
        "10.0.0.0/8, [::ffff:10.0.0.1]:5, true",
        "::ffff:10.0.0.0/104, 10.1.1.1:5, true",
        "::ffff:10.0.0.0/104, 11.1.1.1:5, false",
        "192.168.1.128/25, 192.168.1.127:1, false",
        "192.168.1.128/25, 192.168.1.128:1, true",
        "1.2.3.4, 1.2.3.4:9, true",
        "1.2.3.4, 1.2.3.5:9, false",
        "0.0.0.0/0, 1.2.3.5:9, true",
        "0.0.0.0/0, [::1]:9, false",
        "::/0, [2001:db8::7]:9, true",
        "::/0, 1.2.3.4:9, false",
        "2001:db8::/32, [2001:db8:1:2:3:4:5:6]:9, true",
        "2001:db8::/33, [2001:db8:8000::]:9, false",
        "fe80::/10, [fe80:0:0:0:1:2:3:4%eth0]:9, true",
        "fe80::/10, fe80::1, true",
        "1.2.3.4, local, false",
        "1.2.3.4, '', false"
    })
    void range_contains_the_addresses_of_its_network(String range, String peer, boolean isIn) {
        byte[] address = AddressRange.ofPeer(peer);
        AddressRange parsed = AddressRange.parse(range);
        assertThat(parsed).isNotNull();
        assertThat(parsed != null && address != null && parsed.contains(address)).isEqualTo(isIn);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "10",
                "10.0.0",
                "10.0.0.0.0",
                "10.0.0.256",
                "010.0.0.1",
                "10.0.0.1/",
                "10.0.0.1/33",
                "10.0.0.1/-1",
                "10.0.0.1/+8",
                "::1/129",
                ":",
                ":::",
                "1::2::3",
                "1:2:3:4:5:6:7",
                "1:2:3:4:5:6:7:8:9",
                "12345::",
                "g::",
                "::1.2.3",
                "a.b.c.d",
                "::ffff:1.2.3.4/95",
                "\u0661.1.1.1",
                "1.1.1.1/\u0661",
                "localhost"
            })
    void what_is_no_range_is_none(String text) {
        assertThat(AddressRange.parse(text)).isNull();
    }
}
