package io.godwit.conformance.wire;

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
    private final byte[] received = new byte[64 * 1024];
    private int position;
    private int limit;

    public TcpTransport(InetSocketAddress address) throws IOException {
        socket = new Socket();
        socket.setTcpNoDelay(true);
        socket.connect(address, 5_000);
        in = socket.getInputStream();
    }

    @Override
    public void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    @Override
    public int read(long timeoutMs) throws IOException {
        try {
            if (position == limit) {
                socket.setSoTimeout((int) Math.max(1, timeoutMs));
                int count = in.read(received);
                if (count < 0) {
                    return -1;
                }
                position = 0;
                limit = count;
            }
            return received[position++] & 0xFF;
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
