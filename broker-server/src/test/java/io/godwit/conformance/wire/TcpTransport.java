package io.godwit.conformance.wire;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;

/** Plain TCP. */
public final class TcpTransport implements Transport {
    private final Socket socket;
    private final InputStream in;

    public TcpTransport(InetSocketAddress address) throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(address, 5_000);
        in = new BufferedInputStream(socket.getInputStream(), 8 * 1024);
    }

    @Override
    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    @Override
    public int read(long timeoutMs) throws IOException {
        try {
            if (in.available() == 0) {
                socket.setSoTimeout((int) Math.max(1, timeoutMs));
            }
            return in.read();
        } catch (SocketException reset) {
            return -1;
        }
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
