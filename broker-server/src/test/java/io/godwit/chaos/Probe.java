package io.godwit.chaos;

import io.godwit.conformance.wire.ConnectBytes;
import io.godwit.conformance.wire.PublishBytes;
import io.godwit.server.RawMqtt;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;

/**
 * Shows that one node knows what was subscribed at another one: what is subscribed now gets a
 * message from there. Filters come in order, so what was subscribed earlier is known as well.
 */
final class Probe implements AutoCloseable {
    private static final int LIMIT_MS = 10_000;
    private static final int AGAIN_MS = 50;
    private static final int PUBLISH = 0x30;

    private final Socket socket;

    private Probe(InetSocketAddress at, String id) throws IOException {
        socket = new Socket(at.getAddress(), at.getPort());
        socket.setSoTimeout(LIMIT_MS);
        send(ConnectBytes.v5(id).bytes());
        RawMqtt.read(socket);
    }

    private void send(byte[] packet) throws IOException {
        socket.getOutputStream().write(packet);
    }

    /**
     * @return false when nothing has come in time
     */
    static boolean knows(InetSocketAddress subscriberAt, InetSocketAddress publisherAt) {
        String topic = "probe/" + subscriberAt.getPort() + "/" + publisherAt.getPort();
        try (Probe subscriber = new Probe(subscriberAt, topic + "/subscriber");
                Probe publisher = new Probe(publisherAt, topic + "/publisher")) {
            subscriber.send(RawMqtt.subscribe(RawMqtt.V5, topic));
            RawMqtt.read(subscriber.socket);
            subscriber.socket.setSoTimeout(AGAIN_MS);
            for (int i = 0; i < LIMIT_MS / AGAIN_MS; i++) {
                publisher.send(PublishBytes.v5(topic).bytes());
                if (subscriber.getsMessage()) {
                    return true;
                }
            }
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
