package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A folder that is only read; one that is missing is empty. */
final class LookStorage implements Storage {
    private final Path folder;

    LookStorage(Path folder) {
        this.folder = folder;
    }

    @Override
    public List<String> names() throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Override
    public Content open(String name) throws IOException {
        return new Look(FileChannel.open(folder.resolve(name), StandardOpenOption.READ));
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.readAllBytes(file) : null;
    }

    @Override
    public void replace(String name, byte[] content) {
        throw onlyRead();
    }

    @Override
    public void delete(String name) {
        throw onlyRead();
    }

    @Override
    public void sync() {
        throw onlyRead();
    }

    private static UnsupportedOperationException onlyRead() {
        return new UnsupportedOperationException("opened for looking");
    }

    private record Look(FileChannel channel) implements Content {
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
            throw onlyRead();
        }

        @Override
        public void force(boolean metadata) {
            throw onlyRead();
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
