package io.godwit.benchmarks.load;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Arrays;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** The broker's end of each transport, written apart from that of the load program. */
final class ServerWires {
    private final Transport transport;
    private final @Nullable SSLContext tls;

    /** Without TLS. */
    ServerWires(Transport transport) {
        this.transport = transport;
        tls = null;
    }

    /**
     * @param folder for the certificate
     */
    ServerWires(Transport transport, Path folder) throws IOException {
        this.transport = transport;
        if (transport.kind().encrypted()) {
            KeyFiles files = KeyFiles.make(folder, "localhost");
            JdkSslContext context =
                    (JdkSslContext)
                            SslContextBuilder.forServer(
                                            files.certificate().toFile(), files.key().toFile())
                                    .sslProvider(SslProvider.JDK)
                                    .build();
            tls = context.context();
        } else {
            tls = null;
        }
    }

    Placement placement(InetSocketAddress broker) {
        return Placement.at(broker, transport);
    }

    /** Does the handshakes of a connection. */
    Peer accept(Socket socket) throws IOException {
        if (transport.proxyHeader()) readProxyHeader(socket);
        Socket inner = socket;
        if (tls != null) {
            SSLSocket encrypted =
                    (SSLSocket) tls.getSocketFactory().createSocket(socket, null, true);
            encrypted.setUseClientMode(false);
            encrypted.startHandshake();
            inner = encrypted;
        }
        DataInputStream in = new DataInputStream(inner.getInputStream());
        OutputStream out = inner.getOutputStream();
        if (!transport.kind().webSocket()) return new Peer(in, out);
        upgrade(in, out);
        return new Peer(new FrameReader(in), new FrameWriter(out));
    }

    private static void readProxyHeader(Socket socket) throws IOException {
        byte[] header = socket.getInputStream().readNBytes(28);
        byte[] begin = "\r\n\r\n\0\r\nQUIT\n\u0021\u0011\0\u000C\n".getBytes(ISO_8859_1);
        if (!Arrays.equals(begin, Arrays.copyOf(header, begin.length)))
            throw new IOException("no PROXY header for a client of 10.0.0.0/8");
    }

    private static void upgrade(InputStream in, OutputStream out) throws IOException {
        StringBuilder request = new StringBuilder();
        while (request.indexOf("\r\n\r\n") < 0) request.append((char) in.read());
        if (!request.toString().contains("Upgrade: websocket")) throw new IOException("no upgrade");
        String answer =
                "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n";
        for (byte each : answer.getBytes(ISO_8859_1)) out.write(each);
    }

    /** Hands on the payload of masked frames. */
    private static final class FrameReader extends InputStream {
        private final DataInputStream in;
        private final byte[] mask = new byte[4];
        private long remaining;
        private int at;

        FrameReader(DataInputStream in) {
            this.in = in;
        }

        @Override
        public int read() throws IOException {
            while (remaining == 0) {
                if (in.readUnsignedByte() != 0x82) throw new IOException("no binary frame");
                int length = in.readUnsignedByte();
                if (length < 0x80) throw new IOException("no mask");
                remaining = length & 0x7F;
                if (remaining == 126) remaining = in.readUnsignedShort();
                else if (remaining == 127) remaining = in.readLong();
                in.readFully(mask);
                at = 0;
            }
            remaining--;
            return (in.readByte() ^ mask[at++ & 3]) & 0xFF;
        }
    }

    /** Puts each write into a frame. */
    private static final class FrameWriter extends OutputStream {
        private final OutputStream out;

        FrameWriter(OutputStream out) {
            this.out = out;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            byte[] frame = new byte[10 + length];
            frame[0] = (byte) 0x82;
            int at = 2;
            if (length <= 125) {
                frame[1] = (byte) length;
            } else if (length <= 0xFFFF) {
                frame[1] = 126;
                frame[at++] = (byte) (length >> 8);
                frame[at++] = (byte) length;
            } else {
                frame[1] = 127;
                for (int shift = 56; shift >= 0; shift -= 8)
                    frame[at++] = (byte) ((long) length >> shift);
            }
            System.arraycopy(bytes, from, frame, at, length);
            out.write(frame, 0, at + length);
        }

        @Override
        public void close() throws IOException {
            out.close();
        }
    }
}
