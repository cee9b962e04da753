package io.godwit.server.data;

import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The folder of one node, locked for as long as this is open: two brokers that wrote into one
 * folder would destroy each other's queues.
 *
 * <pre>
 * lock         who has the folder: its process id; locked by the kernel, so a crash leaves no lock
 * server-id    the node's stable 24-bit number, decimal
 * members      in a cluster: its members, as this node knows them
 * assignments  in a cluster: who leads which slots of client ids
 * followers    in a cluster with copies: which nodes have them, by leader and copy set
 * </pre>
 */
public final class DataFolder implements AutoCloseable {
    private static final int SERVER_ID_BITS = 24;
    private static final String KEY = "node.data";
    private static final String SERVER_ID = "server-id";
    private static final String MEMBERS = "members";
    private static final String ASSIGNMENTS = "assignments";
    private static final String FOLLOWERS = "followers";

    /**
     * Names the broker's own files and folders; an earlier version left them readable by everyone.
     */
    private static final List<String> OWN =
            List.of("lock", SERVER_ID, "store-owner", "store", "backups", "native");

    private final Path folder;
    private final FileChannel lockFile;
    private final int serverId;

    private DataFolder(Path folder, FileChannel lockFile, int serverId) {
        this.folder = folder;
        this.lockFile = lockFile;
        this.serverId = serverId;
    }

    /**
     * Makes the folder if it is missing, locks it and reads the server id; an empty folder gets a
     * new one.
     */
    public static DataFolder open(Path folder) throws StartFailed {
        FileChannel lockFile = null;
        try {
            boolean isNew = !Files.isDirectory(folder);
            create(folder);
            if (isNew) { // One that was there may be shared with others, such as /tmp.
                PrivateMode.restrict(folder);
            }
            lockFile = lock(folder);
            DataFolder opened = new DataFolder(folder, lockFile, serverId(folder));
            OWN.forEach(own -> PrivateMode.restrict(folder.resolve(own)));
            lockFile = null;
            return opened;
        } catch (IOException e) {
            throw new StartFailed(
                    KEY + ": can't use the folder " + folder + ": " + Causes.withFile(e), e);
        } finally {
            if (lockFile != null) {
                close(lockFile);
            }
        }
    }

    /**
     * Judges whether {@link #open} can use the folder, and changes nothing.
     *
     * @throws StartFailed when it can't
     */
    public static void check(Path folder) throws StartFailed {
        Path existing = folder.toAbsolutePath();
        while (!Files.exists(existing) && existing.getParent() != null) {
            existing = existing.getParent();
        }
        String problem =
                !Files.isDirectory(existing)
                        ? "it is not a folder"
                        : Files.isWritable(existing) ? "" : "permission denied";
        if (!problem.isEmpty()) {
            throw new StartFailed(
                    KEY + ": can't use the folder " + folder + ": " + existing + ": " + problem);
        }
        Path id = folder.resolve(SERVER_ID);
        try {
            if (Files.exists(id)) parsed(id, Files.readString(id, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            throw new StartFailed(
                    KEY + ": can't use the folder " + folder + ": " + Causes.withFile(e), e);
        }
    }

    /** A power cut takes the name of a folder whose own folder was not synced. */
    private static void create(Path folder) throws IOException {
        Path made = folder.toAbsolutePath();
        if (!Files.isDirectory(made)) {
            Path above = made.getParent();
            if (above != null) {
                create(above);
            }
            Files.createDirectories(made);
            if (above != null) {
                sync(above);
            }
        }
    }

    private static void sync(Path folder) throws IOException {
        try (FileChannel entries = FileChannel.open(folder, StandardOpenOption.READ)) {
            entries.force(true);
        }
    }

    private static FileChannel lock(Path folder) throws IOException, StartFailed {
        FileChannel file =
                FileChannel.open(
                        folder.resolve("lock"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE);
        boolean locked = false;
        try {
            FileLock lock = tryLock(file);
            if (lock == null) {
                throw new StartFailed(
                        KEY
                                + ": the folder "
                                + folder
                                + " is in use by another broker"
                                + owner(file));
            }
            byte[] pid =
                    Long.toString(ProcessHandle.current().pid())
                            .getBytes(StandardCharsets.US_ASCII);
            file.truncate(0);
            file.write(ByteBuffer.wrap(pid), 0);
            locked = true;
            return file;
        } finally {
            if (!locked) {
                close(file);
            }
        }
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // another broker of this process, in a test
        }
    }

    private static String owner(FileChannel file) throws IOException {
        ByteBuffer text = ByteBuffer.allocate(20);
        file.read(text, 0);
        String pid = new String(text.array(), 0, text.position(), StandardCharsets.US_ASCII);
        return pid.matches("[0-9]+") ? " (process " + pid + ")" : "";
    }

    private static int serverId(Path folder) throws IOException, StartFailed {
        Path file = folder.resolve(SERVER_ID);
        String text;
        try {
            text = Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException e) {
            return newServerId(folder, file);
        }
        return parsed(file, text);
    }

    private static int parsed(Path file, String content) throws StartFailed {
        String text = content.strip();
        if (!text.matches("[0-9]{1,8}") || Integer.parseInt(text) >= 1 << SERVER_ID_BITS) {
            throw new StartFailed(
                    file
                            + " should hold this node's number, 0.."
                            + ((1 << SERVER_ID_BITS) - 1)
                            + ", but holds: "
                            + (text.length() > 40 ? text.substring(0, 40) + "..." : text));
        }
        return Integer.parseInt(text);
    }

    /** Random, never from a name or address: those are given again to other machines. */
    private static int newServerId(Path folder, Path file) throws IOException {
        int id = new SecureRandom().nextInt(1 << SERVER_ID_BITS);
        Path draft = folder.resolve(SERVER_ID + ".new");
        try (FileChannel out =
                FileChannel.open(
                        draft,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.TRUNCATE_EXISTING,
                        StandardOpenOption.WRITE)) {
            out.write(ByteBuffer.wrap((id + "\n").getBytes(StandardCharsets.US_ASCII)));
            out.force(true);
        }
        Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        sync(folder); // else a power cut takes the name, and the next start makes another
        return id;
    }

    /**
     * Makes the next start in a folder that of a new node: one with another server id that knows no
     * cluster. The former id would wait in its own list of members for a node that never comes, and
     * lead its slots.
     *
     * @param folder locked by the caller
     */
    public static void forgetNode(Path folder) throws IOException {
        Files.deleteIfExists(folder.resolve(ASSIGNMENTS));
        Files.deleteIfExists(folder.resolve(FOLLOWERS));
        Files.deleteIfExists(folder.resolve(MEMBERS));
        Files.deleteIfExists(folder.resolve(SERVER_ID)); // Last: then nothing of it is left.
    }

    public Path path() {
        return folder;
    }

    /** Returns the file that has the members of the cluster. */
    public Path members() {
        return folder.resolve(MEMBERS);
    }

    /** Returns the file that says who leads which slots. */
    public Path assignments() {
        return folder.resolve(ASSIGNMENTS);
    }

    /** Returns the file that says which nodes have copies. */
    public Path followers() {
        return folder.resolve(FOLLOWERS);
    }

    /** 0..2^24-1; the same as long as the folder lives. */
    public int serverId() {
        return serverId;
    }

    @Override
    public void close() {
        close(lockFile);
    }

    private static void close(FileChannel file) {
        try {
            file.close();
        } catch (IOException e) {
            // Nothing was written that could be lost: the kernel gives the lock back either way.
        }
    }
}
