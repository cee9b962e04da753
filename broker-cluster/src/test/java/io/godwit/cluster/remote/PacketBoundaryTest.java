package io.godwit.cluster.remote;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PacketBoundaryTest {
    @ParameterizedTest
    @ValueSource(ints = {2, 127, 128, 16_383, 16_384, 2_097_151, 2_097_152})
    void disconnect_may_follow_a_whole_packet_alone(int remaining) {
        PacketBoundary boundary = new PacketBoundary();
        assertThat(boundary.mayDisconnect()).isFalse();
        boundary.follow(TestConnection.CONNACK, 0, 4);
        assertThat(boundary.mayDisconnect()).isTrue();
        byte[] head = new byte[5];
        int length = 0;
        head[length++] = 0x32;
        int rest = remaining;
        while (rest > 0x7F) {
            head[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        head[length++] = (byte) rest;
        byte[] packet = new byte[length + remaining];
        System.arraycopy(head, 0, packet, 0, length);
        for (int cut : new int[] {1, 2, length - 1, length, length + 1, packet.length - 1}) {
            boundary.follow(packet, 0, cut);
            assertThat(boundary.mayDisconnect()).as("after %s", cut).isFalse();
            boundary.follow(packet, cut, packet.length - cut);
            assertThat(boundary.mayDisconnect()).isTrue();
        }
        boundary.follow(new byte[] {(byte) 0xD0, 0, (byte) 0xD0}, 0, 3);
        assertThat(boundary.mayDisconnect()).isFalse();
        boundary.follow(new byte[] {0}, 0, 1);
        assertThat(boundary.mayDisconnect()).isTrue();
    }

    /** [MQTT-3.14.0-1]. */
    @ParameterizedTest
    @ValueSource(ints = {0x80, 0x88, 0x97})
    void disconnect_does_not_follow_a_refusal(int reason) {
        PacketBoundary boundary = new PacketBoundary();
        boundary.follow(new byte[] {0x20, 3, 0, (byte) reason, 0}, 0, 5);
        assertThat(boundary.mayDisconnect()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void disconnect_does_not_follow_another_one(int remaining) {
        PacketBoundary boundary = new PacketBoundary();
        boundary.follow(TestConnection.CONNACK, 0, 4);
        byte[] disconnect = new byte[2 + remaining];
        disconnect[0] = (byte) 0xE0;
        disconnect[1] = (byte) remaining;
        boundary.follow(disconnect, 0, disconnect.length);
        assertThat(boundary.mayDisconnect()).isFalse();
    }
}
