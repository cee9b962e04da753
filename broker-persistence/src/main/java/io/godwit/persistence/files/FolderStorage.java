package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A folder of the file system. */
final class FolderStorage implements Storage {
    private static final String NEW = ".new";

    private final Path folder;

    private FolderStorage(Path folder) {
        this.folder = folder;
    }

    /** Makes the folder if need be. */
    static FolderStorage at(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            Files.createDirectories(folder);
            sync(folder.toAbsolutePath().getParent());
        }
        return new FolderStorage(folder);
    }

    @Override
    public List<String> names() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Override
    public Content open(String name) throws IOException {
        return new Opened(
                FileChannel.open(
                        folder.resolve(name),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE));
    }

    @Override
    public byte @Nullable [] read(String name) throws IOException {
        Path file = folder.resolve(name);
        return Files.exists(file) ? Files.readAllBytes(file) : null;
    }

    @Override
    public void replace(String name, byte[] content) throws IOException {
        Path next = folder.resolve(name + NEW);
        try (FileChannel out =
                FileChannel.open(
                        next,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            ByteBuffer bytes = ByteBuffer.wrap(content);
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        Files.move(next, folder.resolve(name), StandardCopyOption.ATOMIC_MOVE);
        sync();
    }

    @Override
    public void delete(String name) throws IOException {
        Files.deleteIfExists(folder.resolve(name));
    }

    @Override
    public void sync() throws IOException {
        sync(folder);
    }

    private static void sync(@Nullable Path folder) throws IOException {
        if (folder == null) {
            return; // the root: it was not made just now
        }
        try (FileChannel channel = FileChannel.open(folder, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }

    private record Opened(FileChannel channel) implements Content {
        @Override
        public long length() throws IOException {
            return channel.size();
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            return channel.write(from, at);
        }

        @Override
        public int read(ByteBuffer to, long at) throws IOException {
            return channel.read(to, at);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            channel.force(metadata);
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
