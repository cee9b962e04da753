package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.core.settings.Network;
import io.godwit.server.config.ProxyConfig;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ForwardedForTest {
    private static final ProxyConfig PROXIES =
            new ProxyConfig(
                    false,
                    Stream.of("10.0.0.0/8", "fd00::/8", "127.0.0.1")
                            .map(text -> Network.parse(text).orElseThrow())
                            .toList());

    private static @Nullable String client(String... lines) {
        var found = ForwardedFor.client(List.of(lines), PROXIES);
        return found == null ? null : Addresses.text(found);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.7 | 192.0.2.7:0",
                "6.6.6.6, 192.0.2.7 | 192.0.2.7:0",
                "6.6.6.6, 192.0.2.7, 10.0.0.1, 10.0.0.2 | 192.0.2.7:0",
                "6.6.6.6,192.0.2.7 ,10.0.0.1,::ffff:10.0.0.2,fd00::1 | 192.0.2.7:0",
                "10.0.0.3, 10.0.0.2 | 10.0.0.3:0",
                "192.0.2.7:40000 | 192.0.2.7:40000",
                "2001:db8::7 | [2001:db8:0:0:0:0:0:7]:0",
                "[2001:db8::7] | [2001:db8:0:0:0:0:0:7]:0",
                "[2001:db8::7]:443, 10.0.0.1:80 | [2001:db8:0:0:0:0:0:7]:443",
                "6.6.6.6, unknown, 10.0.0.1 | 10.0.0.1:0",
                "6.6.6.6,, 10.0.0.1 | 10.0.0.1:0",
                "127.0.0.2, 10.0.0.1 | 127.0.0.2:0",
            })
    void client_is_the_last_address_that_is_no_trusted_proxy(String line, String client) {
        assertThat(client(line)).isEqualTo(client);
    }

    @Test
    void several_lines_are_one_list() {
        assertThat(client("6.6.6.6", "192.0.2.7, 10.0.0.1", "10.0.0.2")).isEqualTo("192.0.2.7:0");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                ",",
                "192.0.2.7,",
                "192.0.2.7, unknown",
                "192.0.2.7:",
                "192.0.2.7:99999",
                "192.0.2.7:http",
                "[2001:db8::7",
                "[2001:db8::7]443",
                "[192.0.2.7]:1:2",
                "fe80::1%eth0",
                "example.org",
                "for=192.0.2.7",
                "999.0.2.7",
            })
    void last_entry_that_is_no_address_names_nobody(String line) {
        assertThat(client(line)).isNull();
    }

    @Test
    void no_line_names_nobody() {
        assertThat(client()).isNull();
    }

    @Test
    void of_1000_addresses_the_last_16_are_read() {
        String many = String.join(", ", Collections.nCopies(1_000, "10.1.1.1"));
        assertThat(client("192.0.2.7, " + many)).isEqualTo("10.1.1.1:0");
        String fifteen = String.join(",", Collections.nCopies(15, "10.1.1.1"));
        assertThat(client(many + ", 192.0.2.7, " + fifteen)).isEqualTo("192.0.2.7:0");
        assertThat(client(many + ", 192.0.2.7, 10.9.9.9," + fifteen)).isEqualTo("10.9.9.9:0");
        assertThat(client("1".repeat(100_000))).isNull();
    }
}
