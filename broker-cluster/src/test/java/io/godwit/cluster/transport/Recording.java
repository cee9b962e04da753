package io.godwit.cluster.transport;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/**
 * What a node of some version said to another one, from its first hello on, packed:
 *
 * <pre>
 * messages 4 | frames 4 | frames x (length 4 | frame)
 * </pre>
 *
 * @param messages how many of rooms there are in the frames
 */
record Recording(int messages, List<byte[]> frames) {
    static Recording read(InputStream from) throws IOException {
        byte[] all;
        try (InputStream unpacked = new GZIPInputStream(from)) {
            all = unpacked.readAllBytes();
        }
        DataInputStream in = new DataInputStream(new ByteArrayInputStream(all));
        int messages = in.readInt();
        List<byte[]> frames = new ArrayList<>();
        for (int left = in.readInt(); left > 0; left--) {
            byte[] frame = new byte[in.readInt()];
            in.readFully(frame);
            frames.add(frame);
        }
        return new Recording(messages, frames);
    }

    void write(OutputStream to) throws IOException {
        try (DataOutputStream out = new DataOutputStream(new GZIPOutputStream(to))) {
            out.writeInt(messages);
            out.writeInt(frames.size());
            for (byte[] each : frames) {
                out.writeInt(each.length);
                out.write(each);
            }
        }
    }
}
