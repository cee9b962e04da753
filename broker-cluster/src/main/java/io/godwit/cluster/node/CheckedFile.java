package io.godwit.cluster.node;

import io.godwit.core.failure.FileCauses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a small content in a file of the data folder: {@code format 1 | crc32c of the rest 4 |
 * content}. A thread of its own writes it beside, has it synced and moves it into place. What is
 * saved meanwhile is written once, the last of it; what can't be written is tried again.
 */
final class CheckedFile {
    private static final Logger LOG = LoggerFactory.getLogger(CheckedFile.class);
    private static final byte FORMAT = 1;
    private static final int HEADER = 5;
    private static final long RETRY_MS = 1_000;

    private final Path file;
    private final String name;
    private final AtomicReference<@Nullable Content> next = new AtomicReference<>();

    private record Content(byte[] bytes, Runnable whenKept) {}

    /**
     * @param name of what is in it, for the log
     */
    CheckedFile(Path file, String name) {
        this.file = file;
        this.name = name;
    }

    /**
     * Reads what was saved last.
     *
     * @param consequence what follows when it is damaged, for the log
     * @return empty when nothing was saved, or it is damaged
     */
    byte[] load(String consequence) {
        byte[] kept;
        try {
            kept = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        } catch (IOException e) {
            throw new IllegalStateException(file + " can't be read: " + FileCauses.of(e), e);
        }
        byte[] content = Arrays.copyOfRange(kept, Math.min(HEADER, kept.length), kept.length);
        if (kept.length < HEADER
                || kept[0] != FORMAT
                || ByteBuffer.wrap(kept).getInt(1) != checksum(content)) {
            LOG.warn("{} is damaged: {}", file, consequence);
            return new byte[0];
        }
        return content;
    }

    /**
     * Saves a content soon, in place of what was saved before. Does not wait.
     *
     * @param whenKept run on the writing thread once it is on the disk; never, when something newer
     *     takes its place before it was written
     */
    void save(byte[] content, Runnable whenKept) {
        if (next.getAndSet(new Content(content, whenKept)) == null) {
            Thread.ofPlatform().daemon().name("cluster-files").start(this::write);
        }
    }

    private void write() {
        Content content = next.get();
        boolean isSaid = false;
        while (content != null) {
            try {
                write(content.bytes);
                content.whenKept.run();
                isSaid = false;
                content = next.compareAndSet(content, null) ? null : next.get();
            } catch (IOException e) {
                if (!isSaid) {
                    LOG.warn(
                            "Can't save {} to {}, and tries again: {}",
                            name,
                            file,
                            FileCauses.withFile(e));
                }
                isSaid = true;
                pause();
                content = next.get();
            }
        }
    }

    private static void pause() {
        try {
            Thread.sleep(RETRY_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(byte[] content) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        ByteBuffer bytes = ByteBuffer.allocate(HEADER + content.length);
        bytes.put(FORMAT).putInt(checksum(content)).put(content).flip();
        try (FileChannel out =
                FileChannel.open(
                        draft,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            while (bytes.hasRemaining()) {
                out.write(bytes);
            }
            out.force(true);
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        try (FileChannel folder = FileChannel.open(file.toAbsolutePath().getParent())) {
            folder.force(true); // The new name, too, is to outlive a loss of power.
        }
    }

    private static int checksum(byte[] content) {
        CRC32C crc = new CRC32C();
        crc.update(content);
        return (int) crc.getValue();
    }
}
