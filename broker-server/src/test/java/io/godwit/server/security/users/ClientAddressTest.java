package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientAddressTest {
    @ParameterizedTest
    @CsvSource({
        "10.0.0.1:50412, 10.0.0.1",
        "10.0.0.1, 10.0.0.1",
        "[2001:db8:1:2:3:4:5:6]:50412, 2001:db8:1:2::/64",
        "[2001:db8:1:2::1]:1, 2001:db8:1:2::/64",
        "[::1]:50412, ::/64",
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::/64",
        "unknown, unknown",
        "[broken, [broken",
    })
    void address_without_its_port_stands_for_one_subscriber(String remote, String expected) {
        assertThat(ClientAddress.of(remote)).isEqualTo(expected);
    }
}
