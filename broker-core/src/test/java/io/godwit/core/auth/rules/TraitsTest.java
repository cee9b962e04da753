package io.godwit.core.auth.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.settings.Network;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraitsTest {
    @ParameterizedTest
    @CsvSource({
        "10.255.0.1:1883, 10.0.0.0/8",
        "10.255.0.1, 10.0.0.0/8",
        "[::ffff:10.0.0.1]:5, 10.0.0.0/8",
        "[2001:db8::7]:9, 2001:db8::/32",
        "[fe80::1%eth0]:9, fe80::/10",
        "fe80::1%eth0, fe80::/10",
        "::1, ::1"
    })
    void address_of_a_peer_is_read_without_port_and_zone(String peer, String network) {
        byte[] address = Traits.address(peer);

        assertThat(address).isNotNull();
        assertThat(address != null && Network.parse(network).orElseThrow().contains(address))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "local", "local:E:1", "[", "[]", "[::1", "host:1883", ":1"})
    void what_is_no_address_is_none(String peer) {
        assertThat(Traits.address(peer)).isNull();
    }
}
