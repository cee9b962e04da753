package io.godwit.chaos;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.server.RawMqtt;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/**
 * Shows that one node knows what was subscribed at another one: what is subscribed now gets a
 * message from there. Filters come in order, so what was subscribed earlier is known as well.
 */
final class Probe implements AutoCloseable {
    private static final int ANSWER_MS = 2_000;
    private static final int AGAIN_MS = 50;
    private static final int PUBLISHES = 20;
    private static final int PUBLISH = 0x30;

    private final Socket socket;

    private Probe(InetSocketAddress at, String id) throws IOException {
        socket = new Socket(at.getAddress(), at.getPort());
        socket.setSoTimeout(ANSWER_MS);
        send(ConnectBytes.v5(id).bytes());
        RawMqtt.read(socket);
    }

    private void send(byte[] packet) throws IOException {
        socket.getOutputStream().write(packet);
    }

    /**
     * @param number no two probes have the same
     * @return false when nothing has come for a while, or a client was refused, since a node does
     *     not hear another one yet that it has to ask
     */
    static boolean knows(
            int number, InetSocketAddress subscriberAt, InetSocketAddress publisherAt) {
        try {
            return gets("probe/" + number, subscriberAt, publisherAt);
        } catch (IOException e) {
            return false;
        }
    }

    private static boolean gets(
            String topic, InetSocketAddress subscriberAt, InetSocketAddress publisherAt)
            throws IOException {
        try (Probe subscriber = new Probe(subscriberAt, topic + "/subscriber");
                Probe publisher = new Probe(publisherAt, topic + "/publisher")) {
            subscriber.send(RawMqtt.subscribe(RawMqtt.V5, topic));
            RawMqtt.read(subscriber.socket);
            subscriber.socket.setSoTimeout(AGAIN_MS);
            for (int i = 0; i < PUBLISHES; i++) {
                publisher.send(PublishBytes.v5(topic).bytes());
                if (subscriber.getsMessage()) {
                    return true;
                }
            }
            return false;
        }
    }

    private boolean getsMessage() throws IOException {
        try {
            return (RawMqtt.read(socket)[0] & 0xF0) == PUBLISH;
        } catch (SocketTimeoutException e) {
            return false;
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
