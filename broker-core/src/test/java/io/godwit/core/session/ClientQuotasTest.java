package io.godwit.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.packet.KeyedHash;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientQuotasTest {
    private final ClientQuotas quotas = new ClientQuotas(0, 1, new KeyedHash(new Random(1)));

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7:1000, 192.0.2.7:1001, 192.0.2.8:1000",
        "[2001:db8:0:1:0:0:0:1]:1, [2001:db8:0:1:ffff:ffff:ffff:ffff]:2, [2001:db8:0:2:0:0:0:1]:1",
        "[fe80:0:0:0:0:0:0:1%eth0]:1, [fe80:0:0:0:0:0:0:2%eth1]:1, [fe80:0:0:1:0:0:0:1%eth0]:1",
        "[0:0:0:0:0:ffff:c000:207]:1, [0:0:0:0:0:ffff:c000:207]:2, [0:0:0:0:0:ffff:c000:208]:1",
    })
    void address_counts_without_its_port_and_ipv6_by_its_first_64_bits(
            String first, String same, String other) {
        ClientQuotas.Share share = Objects.requireNonNull(quotas.take(null, first));
        assertThat(quotas.take(null, same)).isNull();
        assertThat(quotas.take(null, other)).isNotNull();

        quotas.giveBack(share);
        assertThat(quotas.take(null, same)).isNotNull();
    }

    @Test
    void peer_without_an_ip_address_counts_by_its_text() {
        assertThat(quotas.take(null, "local")).isNotNull();
        assertThat(quotas.take(null, "local")).isNull();
        assertThat(quotas.take(null, "[what:1")).isNotNull();
    }
}
