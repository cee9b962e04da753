package io.godwit.server.client;

import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * The streams that a command reads and writes.
 *
 * @param out fails when nobody reads it any more, which a PrintStream would hide
 */
record Streams(InputStream in, OutputStream out, PrintStream err) {
    /** Returns those of the process. */
    static Streams ofProcess() {
        return new Streams(
                System.in,
                new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)),
                System.err);
    }
}
