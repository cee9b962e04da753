package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that is only read. */
final class FileLook implements Storage.Content {
    private final FileChannel channel;

    FileLook(Path file) throws IOException {
        channel = FileChannel.open(file, StandardOpenOption.READ);
    }

    @Override
    public long length() throws IOException {
        return channel.size();
    }

    @Override
    public int read(ByteBuffer to, long at) throws IOException {
        return channel.read(to, at);
    }

    @Override
    public int write(ByteBuffer from, long at) {
        throw new UnsupportedOperationException("opened for looking");
    }

    @Override
    public void force(boolean metadata) {
        throw new UnsupportedOperationException("opened for looking");
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
