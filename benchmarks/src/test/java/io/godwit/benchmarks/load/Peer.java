package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A connection as {@link RelayDouble} sees it: MQTT's bytes, without what stands around them. */
record Peer(InputStream in, OutputStream out) implements Closeable {
    @Override
    public void close() throws IOException {
        in.close();
        out.close();
    }
}
