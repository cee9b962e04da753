package io.godwit.server.data;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;

/**
 * How often a node without a durable store was started, in the file {@code starts} of its data
 * folder, decimal: other nodes tell its starts apart by that.
 */
public final class StartNumber {
    private StartNumber() {}

    /**
     * Counts this start.
     *
     * @return from 1; on the disk when this returns
     */
    public static long next(Path folder) throws StartFailed {
        Path file = folder.resolve("starts");
        try {
            long next = read(file) + 1;
            Path draft = folder.resolve("starts.new");
            try (FileChannel out =
                    FileChannel.open(
                            draft,
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                out.write(ByteBuffer.wrap((next + "\n").getBytes(StandardCharsets.US_ASCII)));
                out.force(true);
            }
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
            try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
                entries.force(true);
            }
            return next;
        } catch (IOException e) {
            throw new StartFailed("node.data: can't use " + file + ": " + Causes.of(e), e);
        }
    }

    private static long read(Path file) throws IOException, StartFailed {
        String text;
        try {
            text = Files.readString(file, StandardCharsets.ISO_8859_1).strip();
        } catch (NoSuchFileException e) {
            return 0;
        }
        if (!text.matches("[0-9]{1,18}")) {
            throw new StartFailed(file + " should hold how often this node was started");
        }
        return Long.parseLong(text);
    }
}
