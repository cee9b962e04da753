package io.godwit.conformance.target;

import java.io.IOException;
import java.net.Socket;

/** Closes each connection at the first byte: refuses everything, bad or good. */
final class AlwaysClosingDouble extends DoubleServer {
    @Override
    void serve(Socket socket) throws IOException {
        int first = socket.getInputStream().read();
        if (first >= 0) {
            socket.getInputStream().skip(socket.getInputStream().available());
        }
    }
}
