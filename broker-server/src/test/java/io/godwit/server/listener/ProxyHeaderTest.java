package io.godwit.server.listener;

import static io.godwit.server.listener.ProxyBytes.AUTHORITY;
import static io.godwit.server.listener.ProxyBytes.CERTIFICATE_OF_CONNECTION;
import static io.godwit.server.listener.ProxyBytes.CERTIFICATE_OF_SESSION;
import static io.godwit.server.listener.ProxyBytes.LOCAL;
import static io.godwit.server.listener.ProxyBytes.PROXY;
import static io.godwit.server.listener.ProxyBytes.SSL;
import static io.godwit.server.listener.ProxyBytes.SSL_CN;
import static io.godwit.server.listener.ProxyBytes.SSL_VERSION;
import static io.godwit.server.listener.ProxyBytes.TCP4;
import static io.godwit.server.listener.ProxyBytes.TCP6;
import static io.godwit.server.listener.ProxyBytes.TLS_USED;
import static io.godwit.server.listener.ProxyBytes.UNIX;
import static io.godwit.server.listener.ProxyBytes.addresses;
import static io.godwit.server.listener.ProxyBytes.binary;
import static io.godwit.server.listener.ProxyBytes.binaryOfLength;
import static io.godwit.server.listener.ProxyBytes.join;
import static io.godwit.server.listener.ProxyBytes.line;
import static io.godwit.server.listener.ProxyBytes.ssl;
import static io.godwit.server.listener.ProxyBytes.tlv;
import static io.godwit.server.listener.ProxyBytes.tlvOfLength;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.haproxy.HAProxyProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderTest {
    private static final byte[] CLIENT = addresses("192.0.2.7", 40_000);
    private static final byte[] BEHIND = {0x10, 0, 1, 2};

    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());

    private final ChannelHandlerContext context = channel.pipeline().firstContext();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private ProxiedPeer decode(byte[] header) throws Exception {
        ProxyHeader read = new ProxyHeader();
        assertThat(read.read(Unpooled.wrappedBuffer(header))).isTrue();
        return read.decode(context);
    }

    private void assertRefused(byte[] header) {
        assertThatThrownBy(() -> decode(header))
                .as(Arrays.toString(header))
                .isInstanceOf(HAProxyProtocolException.class);
    }

    private static String addressOf(ProxiedPeer peer) {
        return Addresses.text(peer.address());
    }

    // ---------------------------------------------------------------- what is announced

    @ParameterizedTest
    @CsvSource({
        "TCP4 192.0.2.7 10.0.0.1 40000 1883, 192.0.2.7:40000",
        "TCP4 127.0.0.1 127.0.0.1 1 1883, 127.0.0.1:1",
        "TCP6 2001:db8::7 ::1 65535 1883, [2001:db8:0:0:0:0:0:7]:65535",
        "TCP6 ::ffff:192.0.2.7 ::1 40000 1883, 192.0.2.7:40000",
    })
    void version_1_announces_an_address(String rest, String announced) throws Exception {
        assertThat(addressOf(decode(line(rest)))).isEqualTo(announced);
    }

    @Test
    void version_2_announces_an_address() throws Exception {
        assertThat(addressOf(decode(binary(PROXY, TCP4, CLIENT)))).isEqualTo("192.0.2.7:40000");
        assertThat(addressOf(decode(binary(PROXY, TCP6, addresses("2001:db8::7", 1)))))
                .isEqualTo("[2001:db8:0:0:0:0:0:7]:1");
        assertThat(addressOf(decode(binary(PROXY, TCP6, addresses("::ffff:192.0.2.7", 0)))))
                .isEqualTo("192.0.2.7:0");
    }

    static List<byte[]> unknown() {
        return List.of(
                line("UNKNOWN"),
                line("UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535"),
                binary(LOCAL, 0),
                binary(LOCAL, TCP4, CLIENT),
                binary(LOCAL, 0x7F, new byte[3]),
                binary(PROXY, 0),
                binary(PROXY, 0, CLIENT),
                binary(PROXY, UNIX, new byte[216]),
                binary(PROXY, UNIX, new byte[216], tlv(AUTHORITY, "a")));
    }

    @ParameterizedTest
    @MethodSource("unknown")
    void local_unknown_unspec_and_unix_announce_nothing(byte[] header) throws Exception {
        assertThat(decode(header)).isEqualTo(ProxiedPeer.QUIET);
    }

    @Test
    void tlvs_announce_server_name_tls_version_and_the_verified_certificate() throws Exception {
        ProxiedPeer peer =
                decode(
                        binary(
                                PROXY,
                                TCP4,
                                CLIENT,
                                tlv(0x01, "mqtt"),
                                tlv(AUTHORITY, "mqtt.example.org"),
                                tlv(0xEA, "vendor"),
                                ssl(
                                        TLS_USED | CERTIFICATE_OF_CONNECTION,
                                        0,
                                        tlv(SSL_VERSION, "TLSv1.3"),
                                        tlv(SSL_CN, "gerät-7")),
                                tlv(0x03, new byte[4])));
        assertThat(peer)
                .isEqualTo(
                        new ProxiedPeer(
                                peer.address(), false, "mqtt.example.org", "TLSv1.3", "gerät-7"));
        assertThat(addressOf(peer)).isEqualTo("192.0.2.7:40000");
    }

    @ParameterizedTest
    @CsvSource({
        "3, 0, device",
        "5, 0, device",
        "7, 0, device",
        "1, 0,", // no certificate was shown: the result of the check means nothing
        "2, 0,",
        "6, 0,",
        "0, 0,",
        "3, 1,",
        "3, 20,",
        "7, -1,",
    })
    void common_name_counts_only_of_a_certificate_that_was_shown_and_verified(
            int client, int verify, String commonName) throws Exception {
        ProxiedPeer peer =
                decode(binary(PROXY, TCP4, CLIENT, ssl(client, verify, tlv(SSL_CN, "device"))));
        assertThat(peer.commonName()).isEqualTo(commonName);
    }

    @Test
    void common_name_counts_only_directly_within_the_first_ssl_tlv() throws Exception {
        byte[] named = ssl(TLS_USED | CERTIFICATE_OF_SESSION, 0, tlv(SSL_CN, "device"));
        byte[] unverified = ssl(TLS_USED, 0, tlv(SSL_VERSION, "TLSv1.2"));
        for (byte[] tlvs :
                List.of(
                        tlv(SSL_CN, "device"),
                        join(tlv(SSL_CN, "device"), unverified),
                        join(unverified, tlv(SSL_CN, "device")),
                        join(unverified, named),
                        ssl(TLS_USED, 0, named),
                        ssl(TLS_USED | CERTIFICATE_OF_CONNECTION, 0, named))) {
            assertThat(decode(binary(PROXY, TCP4, CLIENT, tlvs)).commonName()).isNull();
        }
        assertThat(decode(binary(PROXY, TCP4, CLIENT, named, unverified)).commonName())
                .isEqualTo("device");
        assertThat(
                        decode(binary(PROXY, TCP4, CLIENT, ssl(TLS_USED, 0, tlv(AUTHORITY, "x"))))
                                .serverName())
                .isNull();
    }

    @Test
    void name_that_is_no_text_does_not_count() throws Exception {
        for (byte[] name :
                List.of(
                        new byte[0],
                        new byte[] {(byte) 0xC3},
                        new byte[] {'a', 0},
                        new byte[] {'a', '\n', 'b'})) {
            ProxiedPeer peer =
                    decode(
                            binary(
                                    PROXY,
                                    TCP4,
                                    CLIENT,
                                    tlv(AUTHORITY, name),
                                    ssl(
                                            TLS_USED | CERTIFICATE_OF_CONNECTION,
                                            0,
                                            tlv(SSL_CN, name))));
            assertThat(peer.serverName()).isNull();
            assertThat(peer.commonName()).isNull();
        }
    }

    // ---------------------------------------------------------------- how the bytes come

    static List<byte[]> headers() {
        return List.of(
                line("UNKNOWN"),
                line("TCP4 192.0.2.7 10.0.0.1 40000 1883"),
                binary(LOCAL, 0),
                binary(PROXY, TCP4, CLIENT, tlv(AUTHORITY, "a"), ssl(1, 0, tlv(SSL_CN, "b"))));
    }

    @ParameterizedTest
    @MethodSource("headers")
    void header_may_be_torn_anywhere_and_what_is_behind_it_stays(byte[] header) throws Exception {
        byte[] all = join(header, BEHIND);
        for (int first = 0; first < header.length; first++) {
            ProxyHeader torn = new ProxyHeader();
            assertThat(torn.read(Unpooled.wrappedBuffer(all, 0, first))).isFalse();
            ByteBuf rest = Unpooled.wrappedBuffer(all, first, all.length - first);
            assertThat(torn.read(rest)).isTrue();
            assertThat(rest.readableBytes()).isEqualTo(BEHIND.length);
            assertThat(torn.decode(context)).isEqualTo(decode(header));
        }
        ProxyHeader drops = new ProxyHeader();
        for (int i = 0; i < header.length; i++) {
            assertThat(drops.read(Unpooled.wrappedBuffer(header, i, 1)))
                    .isEqualTo(i == header.length - 1);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\020\014\000\004MQTT",
                "\026\003\001",
                "GET / HTTP/1.1\r\n",
                "PRoXY TCP4",
                "PROXY\tTCP4",
                "P\r\n",
                "\r\n\r\n\000\r\nQUIT\r",
                "\r\nx",
            })
    void first_byte_that_fits_no_header_refuses_it(String begin) {
        byte[] bytes = begin.getBytes(StandardCharsets.ISO_8859_1);
        assertThatThrownBy(() -> new ProxyHeader().read(Unpooled.wrappedBuffer(bytes)))
                .hasMessageContaining("not one");
        ProxyHeader torn = new ProxyHeader();
        assertThatThrownBy(
                        () -> {
                            for (byte each : bytes) {
                                torn.read(Unpooled.wrappedBuffer(new byte[] {each}));
                            }
                        })
                .hasMessageContaining("not one");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "TCP4",
                "TCP4 192.0.2.7 10.0.0.1 40000",
                "TCP4 192.0.2.7 10.0.0.1 40000 1883 1",
                "TCP4 192.0.2.7 10.0.0.1 0 1883",
                "TCP4 192.0.2.7 10.0.0.1 65536 1883",
                "TCP4 192.0.2.777 10.0.0.1 40000 1883",
                "TCP4 localhost 10.0.0.1 40000 1883",
                "TCP4 2001:db8::7 ::1 40000 1883",
                "TCP6 192.0.2.7 10.0.0.1 40000 1883",
                "TCP6 fe80::1%eth0 ::1 40000 1883",
                "UDP4 192.0.2.7 10.0.0.1 40000 1883",
                "TCP5 192.0.2.7 10.0.0.1 40000 1883",
                "UNIX_STREAM a b 1 2",
            })
    void line_that_is_not_valid_is_refused(String rest) {
        assertRefused(line(rest));
    }

    @Test
    void line_has_at_most_107_bytes() throws Exception {
        String longest = "UNKNOWN " + "x".repeat(107 - "PROXY UNKNOWN \r\n".length());
        assertThat(decode(line(longest))).isEqualTo(ProxiedPeer.QUIET);
        assertRefused(line(longest + "x"));
    }

    @Test
    void version_2_that_is_not_valid_is_refused() {
        assertRefused(binary(0x11, TCP4, CLIENT)); // version 1
        assertRefused(binary(0x31, TCP4, CLIENT)); // version 3
        assertRefused(binary(0x22, TCP4, CLIENT)); // neither LOCAL nor PROXY
        assertRefused(binary(PROXY, 0x41, CLIENT));
        assertRefused(binary(PROXY, 0x13, CLIENT));
    }

    @Test
    void length_that_is_too_small_for_the_addresses_is_refused() {
        for (int length = 0; length < CLIENT.length; length++) {
            assertRefused(binary(PROXY, TCP4, Arrays.copyOf(CLIENT, length)));
            assertRefused(binaryOfLength(length, PROXY, TCP4, CLIENT));
        }
        assertRefused(binary(PROXY, TCP6, CLIENT));
        assertRefused(binary(PROXY, UNIX, new byte[215]));
    }

    @Test
    void length_beyond_the_bytes_waits_for_more() {
        byte[] header = binaryOfLength(CLIENT.length + 1, PROXY, TCP4, CLIENT);
        assertThat(new ProxyHeader().read(Unpooled.wrappedBuffer(header))).isFalse();
    }

    @Test
    void header_has_at_most_4_KiB() throws Exception {
        int room = ProxyHeader.BYTES_MAX - 16 - CLIENT.length - 3;
        assertThat(addressOf(decode(binary(PROXY, TCP4, CLIENT, tlv(0xEA, new byte[room])))))
                .isEqualTo("192.0.2.7:40000");
        assertRefused(binary(PROXY, TCP4, CLIENT, tlv(0xEA, new byte[room + 1])));
        byte[] most = binaryOfLength(0xFFFF, PROXY, TCP4, CLIENT);
        assertThatThrownBy(() -> new ProxyHeader().read(Unpooled.wrappedBuffer(most, 0, 16)))
                .as("by its length alone")
                .hasMessageContaining("4 KiB");
    }

    // ---------------------------------------------------------------- TLVs that lie

    static List<byte[]> lies() {
        byte[] cn = tlv(SSL_CN, "device");
        byte[] fixed = {3, 0, 0, 0, 0};
        byte[] deep = ssl(3, 0, cn);
        for (int i = 0; i < 300; i++) {
            deep = ssl(3, 0, deep);
        }
        return List.of(
                tlvOfLength(7, AUTHORITY, "device".getBytes(StandardCharsets.UTF_8)),
                tlvOfLength(0xFFFF, AUTHORITY, "device".getBytes(StandardCharsets.UTF_8)),
                tlvOfLength(4, SSL, fixed),
                tlvOfLength(6, SSL, fixed),
                tlvOfLength(0xFFFF, SSL, fixed, cn),
                tlv(SSL, new byte[4]),
                tlv(SSL, fixed, tlvOfLength(7, SSL_CN, "device".getBytes(StandardCharsets.UTF_8))),
                tlv(SSL, fixed, tlvOfLength(0xFFFF, SSL_CN, new byte[] {'d', 'e'})),
                tlv(SSL, fixed, cn, tlvOfLength(0xFFFF, SSL, fixed)),
                tlv(SSL, fixed, tlvOfLength(4, SSL, fixed)),
                join(
                        tlv(
                                SSL,
                                fixed,
                                tlvOfLength(9, SSL_CN, "device".getBytes(StandardCharsets.UTF_8))),
                        tlv(AUTHORITY, "behind")),
                deep);
    }

    @ParameterizedTest
    @MethodSource("lies")
    void tlv_that_is_longer_than_what_holds_it_is_refused(byte[] tlvs) {
        assertRefused(binary(PROXY, TCP4, CLIENT, tlvs));
    }

    @Test
    void changed_bytes_never_do_more_than_refuse_a_header() {
        byte[] good =
                binary(
                        PROXY,
                        TCP4,
                        CLIENT,
                        tlv(AUTHORITY, "mqtt.example.org"),
                        ssl(3, 0, tlv(SSL_VERSION, "TLSv1.3"), tlv(SSL_CN, "device")));
        Random random = new Random(7);
        for (int i = 0; i < 20_000; i++) {
            byte[] bad = good.clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                bad[random.nextInt(bad.length)] = (byte) random.nextInt(256);
            }
            ProxyHeader header = new ProxyHeader();
            try {
                if (header.read(Unpooled.wrappedBuffer(bad))) {
                    header.decode(context);
                }
            } catch (Exception refused) {
                assertThat(refused).isInstanceOf(HAProxyProtocolException.class);
            }
        }
    }
}
