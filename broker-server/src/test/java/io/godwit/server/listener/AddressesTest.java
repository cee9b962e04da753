package io.godwit.server.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class AddressesTest {
    private static final InetSocketAddress OWN = new InetSocketAddress("192.0.2.7", 1883);

    @Test
    void peer_with_the_address_that_it_is_connected_to_is_on_the_same_machine() {
        assertThat(Addresses.isSameMachine(new InetSocketAddress("192.0.2.7", 40_000), OWN))
                .isTrue();
        assertThat(Addresses.isSameMachine(new InetSocketAddress("::1", 40_000), OWN)).isTrue();
        assertThat(Addresses.isSameMachine(new InetSocketAddress("127.0.0.2", 40_000), OWN))
                .isTrue();
    }

    @Test
    void peer_with_another_address_is_on_another_machine() {
        assertThat(Addresses.isSameMachine(new InetSocketAddress("192.0.2.8", 40_000), OWN))
                .isFalse();
        assertThat(Addresses.isSameMachine(new InetSocketAddress("192.0.2.8", 40_000), null))
                .isFalse();
        assertThat(Addresses.isSameMachine(null, null)).isFalse();
    }
}
