package io.godwit.chaos;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The disk below one folder of a process that is started with {@link #environment}: writes and
 * syncs fail or take longer when this says so, also while the process runs. {@code
 * src/test/native/diskfault.c} is the other half.
 */
final class DiskFault implements AutoCloseable {
    private static final int FIELDS = 16;
    private static @Nullable Path library;

    /** Which calls fail. */
    enum Call {
        WRITE(1),
        SYNC(2),
        RANGE_SYNC(4);

        private final long bit;

        Call(long bit) {
            this.bit = bit;
        }
    }

    enum Error {
        EIO(5, "Input/output error"),
        ENOSPC(28, "No space left on device");

        private final long number;

        /** The name that the C library has for it. */
        final String text;

        Error(long number, String text) {
            this.number = number;
            this.text = text;
        }
    }

    /** The order is that of the shim. */
    enum Which {
        ALL,
        JOURNAL,
        TABLES,
        MANIFESTS,
        DIRECTORIES
    }

    private enum Field {
        WHAT,
        BEFORE,
        ERRNO,
        STICKY,
        FILES,
        DELAY,
        HALF,
        FREE,
        WRITES,
        SYNCS,
        RANGES,
        FAILURES
    }

    private final Path folder;
    private final Path control;
    private final Path record;
    private final MappedByteBuffer fields;

    private DiskFault(Path folder, Path control, Path record, MappedByteBuffer fields) {
        this.folder = folder;
        this.control = control;
        this.record = record;
        this.fields = fields;
    }

    /**
     * @param folder whose files are touched; made when it is not there
     * @param scratch for this object's own files, elsewhere
     */
    static DiskFault of(Path folder, Path scratch) {
        try {
            Files.createDirectories(folder);
            Path control = Files.write(scratch.resolve("control"), new byte[FIELDS * Long.BYTES]);
            Path record = scratch.resolve("record");
            Files.deleteIfExists(record);
            Files.createFile(record);
            try (FileChannel channel =
                    FileChannel.open(control, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
                MappedByteBuffer fields =
                        channel.map(FileChannel.MapMode.READ_WRITE, 0, FIELDS * Long.BYTES);
                fields.order(ByteOrder.nativeOrder());
                return new DiskFault(folder.toRealPath(), control, record, fields);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Compiles the shim, once.
     *
     * @return null when it works, else why it does not
     */
    static synchronized @Nullable String problem() {
        if (library != null) {
            return null;
        }
        if (!System.getProperty("os.name").equals("Linux")) {
            return "faults need Linux";
        }
        try {
            Path source = source();
            Path target = Files.createTempDirectory("diskfault").resolve("diskfault.so");
            Process compiler =
                    new ProcessBuilder(
                                    "gcc",
                                    "-O2",
                                    "-shared",
                                    "-fPIC",
                                    "-o",
                                    target.toString(),
                                    source.toString(),
                                    "-ldl")
                            .redirectErrorStream(true)
                            .start();
            String said =
                    new String(compiler.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!compiler.waitFor(60, TimeUnit.SECONDS) || compiler.exitValue() != 0) {
                return "gcc can't compile " + source + ": " + said;
            }
            List.of(target, target.getParent()).forEach(path -> path.toFile().deleteOnExit());
            library = target;
            return null;
        } catch (IOException | InterruptedException | URISyntaxException e) {
            return "gcc: " + e.getMessage();
        }
    }

    /** Beside the compiled classes of the tests. */
    private static Path source() throws URISyntaxException {
        Path classes =
                Path.of(
                        DiskFault.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI());
        return classes.resolve("../../src/test/native/diskfault.c").normalize();
    }

    /** The environment for the process whose disk it is, and whose power may be cut. */
    Map<String, String> environment() {
        Map<String, String> all = new HashMap<>(withoutRecord());
        all.put("DISKFAULT_RECORD", record.toString());
        return all;
    }

    /** The environment for a process of which nothing is recorded. */
    Map<String, String> withoutRecord() {
        String problem = problem();
        if (problem != null || library == null) {
            throw new IllegalStateException(problem);
        }
        return Map.of(
                "LD_PRELOAD",
                library.toString(),
                "DISKFAULT_FOLDER",
                folder.toString(),
                "DISKFAULT_CONTROL",
                control.toString());
    }

    Path folder() {
        return folder;
    }

    /** What a power cut would respect, one step per line. */
    Path record() {
        return record;
    }

    /**
     * After {@code before} more calls of this kind on such files lets all of them fail.
     *
     * @param half whether the first failing write has written half of its bytes
     */
    void fail(Call call, Which which, Error error, int before, boolean half) {
        set(Field.WHAT, 0);
        set(Field.BEFORE, before);
        set(Field.ERRNO, error.number);
        set(Field.STICKY, 1);
        set(Field.FILES, which.ordinal());
        set(Field.HALF, half ? 1 : 0);
        set(Field.WHAT, call.bit);
    }

    /** Fails one call only. */
    void failOnce(Call call, Which which, Error error, int before) {
        fail(call, which, error, before, false);
        set(Field.STICKY, 0);
    }

    void heal() {
        set(Field.WHAT, 0);
    }

    /** How much longer each fsync and fdatasync takes. */
    void slowSyncs(long microseconds) {
        set(Field.DELAY, microseconds);
    }

    /**
     * Has less room reported than there is; what is written is written all the same.
     *
     * @param bytes that are said to be free; 0: as many as there are
     */
    void reportFree(long bytes) {
        set(Field.FREE, bytes);
    }

    long failures() {
        return get(Field.FAILURES);
    }

    long syncs() {
        return get(Field.SYNCS);
    }

    long writes() {
        return get(Field.WRITES);
    }

    private void set(Field field, long value) {
        fields.putLong(field.ordinal() * Long.BYTES, value);
    }

    private long get(Field field) {
        return fields.getLong(field.ordinal() * Long.BYTES);
    }

    @Override
    public void close() {
        for (Path own : List.of(control, record)) {
            File file = own.toFile();
            if (file.exists() && !file.delete()) {
                throw new IllegalStateException("can't delete " + file);
            }
        }
    }
}
