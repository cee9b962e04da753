package io.godwit.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Just enough bytes of MQTT for tests of what surrounds it. */
public final class RawMqtt {
    public static final int V31 = 3;
    public static final int V311 = 4;
    public static final int V5 = 5;

    private RawMqtt() {}

    /** CONNECT with clean start; keep alive 0. */
    public static byte[] connect(int version, String clientId) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, version == V31 ? "MQIsdp" : "MQTT");
        body.write(version);
        body.write(2);
        body.write(0);
        body.write(0);
        if (version == V5) {
            body.write(0);
        }
        string(body, clientId);
        return packet(0x10, body);
    }

    /** 3.1.1 with clean session 0; keep alive 0. */
    public static byte[] connectDurable(String clientId) {
        byte[] packet = connect(V311, clientId);
        packet[9] = 0;
        return packet;
    }

    /** 3.1.1. */
    public static byte[] publishQos1(String topic, int packetId, byte[] payload) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, topic);
        body.write(packetId >> 8);
        body.write(packetId);
        body.writeBytes(payload);
        return packet(0x32, body);
    }

    /** One filter at QoS 1, packet id 1. */
    public static byte[] subscribe(int version, String filter) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(0);
        body.write(1);
        if (version == V5) {
            body.write(0);
        }
        string(body, filter);
        body.write(1);
        return packet(0x82, body);
    }

    public static byte[] publish(int version, String topic, byte[] payload) {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        string(body, topic);
        if (version == V5) {
            body.write(0);
        }
        body.writeBytes(payload);
        return packet(0x30, body);
    }

    private static void string(ByteArrayOutputStream out, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        out.write(bytes.length >> 8);
        out.write(bytes.length);
        out.writeBytes(bytes);
    }

    private static byte[] packet(int first, ByteArrayOutputStream body) {
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(first);
        int length = body.size();
        while (length > 0x7F) {
            packet.write(length & 0x7F | 0x80);
            length >>>= 7;
        }
        packet.write(length);
        packet.writeBytes(body.toByteArray());
        return packet.toByteArray();
    }

    /** Reads one packet, fixed header included. */
    public static byte[] read(Socket socket) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        ByteArrayOutputStream packet = new ByteArrayOutputStream();
        packet.write(in.readUnsignedByte());
        int length = 0;
        int b;
        int shift = 0;
        do {
            b = in.readUnsignedByte();
            packet.write(b);
            length |= (b & 0x7F) << shift;
            shift += 7;
        } while (b > 0x7F);
        packet.writeBytes(in.readNBytes(length));
        return packet.toByteArray();
    }
}
