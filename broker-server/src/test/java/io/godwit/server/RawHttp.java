package io.godwit.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** HTTP as bytes: an ordinary client sets Host and Origin as it likes, or not at all. */
public final class RawHttp {
    private RawHttp() {}

    /**
     * Sends a head and reads all that comes until the other side closes.
     *
     * @param lines of the request, without the empty one at the end
     */
    public static String send(int port, String... lines) throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(60_000);
            String request = String.join("\r\n", lines) + "\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** The status of an answer. */
    public static int status(String answer) {
        return answer.startsWith("HTTP/1.1 ") ? Integer.parseInt(answer.substring(9, 12)) : -1;
    }
}
