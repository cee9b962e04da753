package io.godwit.cluster.node;

import io.godwit.cluster.membership.MembersFile;
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
 * The list of members as a file of the data folder: {@code format 1 | crc32c of the rest 4 | list}.
 * Written beside and moved into place by a thread of its own; what was saved meanwhile is written
 * once, the last of it.
 */
public final class MembersOnDisk implements MembersFile {
    private static final Logger LOG = LoggerFactory.getLogger(MembersOnDisk.class);
    private static final byte FORMAT = 1;
    private static final int HEADER = 5;

    private final Path file;
    private final AtomicReference<byte @Nullable []> next = new AtomicReference<>();

    /**
     * @param file in the data folder
     */
    public MembersOnDisk(Path file) {
        this.file = file;
    }

    @Override
    public byte[] load() {
        byte[] kept;
        try {
            kept = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            return new byte[0];
        } catch (IOException e) {
            throw new IllegalStateException(file + " can't be read: " + FileCauses.of(e), e);
        }
        byte[] list = Arrays.copyOfRange(kept, Math.min(HEADER, kept.length), kept.length);
        if (kept.length < HEADER
                || kept[0] != FORMAT
                || ByteBuffer.wrap(kept).getInt(1) != checksum(list)) {
            // It is made anew from what the others know.
            LOG.warn("{} is damaged: starting with an empty list of members", file);
            return new byte[0];
        }
        return list;
    }

    @Override
    public void save(byte[] members) {
        if (next.getAndSet(members) == null) {
            Thread.ofPlatform().daemon().name("cluster-members").start(this::write);
        }
    }

    private void write() {
        byte[] list = next.get();
        while (list != null) {
            try {
                write(list);
            } catch (IOException e) {
                LOG.warn("Can't save the list of members to {}: {}", file, FileCauses.withFile(e));
            }
            byte[] written = list;
            list = next.compareAndSet(written, null) ? null : next.get();
        }
    }

    private void write(byte[] list) throws IOException {
        Path draft = file.resolveSibling(file.getFileName() + ".new");
        ByteBuffer bytes = ByteBuffer.allocate(HEADER + list.length);
        bytes.put(FORMAT).putInt(checksum(list)).put(list).flip();
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
    }

    private static int checksum(byte[] list) {
        CRC32C crc = new CRC32C();
        crc.update(list);
        return (int) crc.getValue();
    }
}
