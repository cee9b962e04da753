package io.godwit.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginPolicyTest {
    private static final OwnNames OWN = new OwnNames("Broker1", List.of("mqtt.example.org"));

    private static HttpHeaders request(String host, String origin) {
        return new DefaultHttpHeaders().set("Host", host).set("Origin", origin);
    }

    @Test
    void without_tls_a_page_of_the_same_name_must_have_one_of_our_names() {
        OriginPolicy plain = new OriginPolicy(List.of(), OWN, false);
        assertThat(plain.allows(request("broker1:8083", "http://broker1"))).isTrue();
        assertThat(plain.allows(request("mqtt.example.org:8083", "https://mqtt.example.org")))
                .isTrue();
        assertThat(plain.allows(request("rebound.example:8083", "http://rebound.example:8083")))
                .isFalse();
    }

    @Test
    void under_tls_the_certificate_has_shown_whose_name_it_is() {
        OriginPolicy encrypted = new OriginPolicy(List.of(), OWN, true);
        assertThat(encrypted.allows(request("mqtt.example.com:8084", "https://mqtt.example.com")))
                .isTrue();
        assertThat(encrypted.allows(request("mqtt.example.com:8084", "https://evil.example")))
                .isFalse();
    }

    @Test
    void what_is_allowed_may_be_written_as_people_do() {
        OriginPolicy policy = new OriginPolicy(List.of("HTTPS://App.example:443"), OWN, false);
        assertThat(policy.allows(request("x", "https://app.example"))).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "https://A.example.org:443, https://a.example.org",
        "http://a:80, http://a",
        "http://a:443, http://a:443",
        "'http://[::1]:3000', 'http://[::1]:3000'",
        "app://local, app://local"
    })
    void origins_are_compared_as_browsers_write_them(String text, String canonical) {
        assertThat(OriginPolicy.canonical(text)).isEqualTo(canonical);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"null", "", "a.example", "http://", "http://a/", "http://u@a", "http://a?b"})
    void what_is_no_origin_is_none(String text) {
        assertThat(OriginPolicy.canonical(text)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "localhost, true",
        "localhost:8081, true",
        "127.0.0.1:8081, true",
        "127.9.9.9, true",
        "'[::1]:8081', true",
        "192.0.2.1, false",
        "localhost.example, false"
    })
    void loopback_is_told_by_its_name(String authority, boolean loopback) {
        HostName host = HostName.parse(authority);
        assertThat(host).isNotNull();
        assertThat(host.isLoopback()).isEqualTo(loopback);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", ":8081", "a:b", "[::1", "[x]", "[::1]x", "a b", "a/b", "u@a", "::1"})
    void what_is_no_host_is_none(String authority) {
        assertThat(HostName.parse(authority)).isNull();
    }
}
