package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The folder that a journal lies in, as far as it needs one; tests have one that forgets. */
interface Storage {
    /** Names of all files. */
    List<String> names() throws IOException;

    /** Opens a file; makes an empty one where there is none. */
    Content open(String name) throws IOException;

    byte @Nullable [] read(String name) throws IOException;

    /** Puts a file in place of the one of this name: durable, or not done at all. */
    void replace(String name, byte[] content) throws IOException;

    void delete(String name) throws IOException;

    /** Files that were made since are there after a power cut. */
    void sync() throws IOException;

    /** An open file. */
    interface Content extends AutoCloseable {
        long length() throws IOException;

        /** Writes at least one byte, not always all. */
        int write(ByteBuffer from, long at) throws IOException;

        /**
         * Reads at least one byte, not always all.
         *
         * @return -1 at the end
         */
        int read(ByteBuffer to, long at) throws IOException;

        /**
         * @param metadata also the file's length
         */
        void force(boolean metadata) throws IOException;

        @Override
        void close() throws IOException;
    }
}
