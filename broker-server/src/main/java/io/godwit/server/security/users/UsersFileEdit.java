package io.godwit.server.security.users;

import io.godwit.core.failure.FileCauses;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Changes a file of users. Other lines stay as they are; the new file takes the place of the old
 * one at once, with its owner where the system allows that, and only its owner may read it.
 */
public final class UsersFileEdit {
    private final Path path;
    private final byte[] before;
    private final boolean isNew;
    private final Map<String, PasswordHash> hashes;
    private final List<String> lines = new ArrayList<>();
    private final Map<String, Integer> places = new LinkedHashMap<>();

    private UsersFileEdit(Path path, boolean isNew) throws UsersMistake {
        this.path = path;
        this.isNew = isNew;
        this.before = isNew ? new byte[0] : UsersFile.bytes(path);
        this.hashes = isNew ? new LinkedHashMap<>() : UsersFile.read(path);
        if (before.length > 0) {
            lines.addAll(new String(before, StandardCharsets.UTF_8).lines().toList());
        }
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.isEmpty() && !line.startsWith("#")) {
                places.put(line.substring(0, line.indexOf(':')), i);
            }
        }
    }

    /**
     * Reads the file.
     *
     * @param mayBeMissing whether it may be created
     * @throws UsersMistake it can't be read, or is not one that the broker accepts
     */
    public static UsersFileEdit open(Path file, boolean mayBeMissing) throws UsersMistake {
        boolean isNew = mayBeMissing && Files.notExists(file, LinkOption.NOFOLLOW_LINKS);
        try {
            return new UsersFileEdit(isNew ? file.toAbsolutePath() : file.toRealPath(), isNew);
        } catch (IOException e) {
            throw new UsersMistake(file, "can't be read: " + FileCauses.of(e));
        }
    }

    /** Returns names and hashes, in the order of the file. */
    public Map<String, PasswordHash> hashes() {
        return hashes;
    }

    /** Adds a user, or gives one another hash. */
    public void set(String name, PasswordHash hash) {
        String line = name + ":" + hash.text();
        Integer place = places.get(name);
        if (place == null) {
            places.put(name, lines.size());
            lines.add(line);
        } else {
            lines.set(place, line);
        }
        hashes.put(name, hash);
    }

    /** Removes a user; returns whether there was one. */
    public boolean delete(String name) {
        Integer place = places.remove(name);
        if (place == null) {
            return false;
        }
        lines.set(place, REMOVED);
        hashes.remove(name);
        return true;
    }

    /** Stands for a line that is gone, until the file is written: no line has this character. */
    private static final String REMOVED = "\n";

    /**
     * Puts the new file in place of the old one.
     *
     * @throws UsersMistake it can't be written, or somebody else has changed it meanwhile
     */
    public void write() throws UsersMistake {
        StringBuilder text = new StringBuilder();
        for (String line : lines) {
            if (!line.equals(REMOVED)) {
                text.append(line).append('\n');
            }
        }
        byte[] after = text.toString().getBytes(StandardCharsets.UTF_8);
        if (after.length > UsersFile.BYTES_MAX) {
            throw new UsersMistake(
                    path, "would have more than " + (UsersFile.BYTES_MAX >> 20) + " MiB");
        }
        Path made = null;
        try {
            made = temporary();
            try (FileChannel channel = FileChannel.open(made, StandardOpenOption.WRITE)) {
                ByteBuffer left = ByteBuffer.wrap(after);
                while (left.hasRemaining()) {
                    channel.write(left);
                }
                channel.force(true);
            }
            if (isNew ? Files.exists(path) : !Arrays.equals(before, UsersFile.bytes(path))) {
                throw new UsersMistake(path, "somebody else has changed it meanwhile; try again");
            }
            if (!isNew) {
                keepOwner(made);
            }
            Files.move(made, path, StandardCopyOption.ATOMIC_MOVE);
            made = null;
        } catch (IOException e) {
            throw new UsersMistake(path, "can't be written: " + FileCauses.of(e));
        } finally {
            remove(made);
        }
    }

    private Path temporary() throws IOException {
        Path folder = path.getParent();
        if (folder == null) {
            throw new IOException("it is no file");
        }
        boolean isPosix = Files.getFileAttributeView(folder, PosixFileAttributeView.class) != null;
        FileAttribute<?>[] mode =
                isPosix
                        ? new FileAttribute<?>[] {
                            PosixFilePermissions.asFileAttribute(
                                    PosixFilePermissions.fromString("rw-------"))
                        }
                        : new FileAttribute<?>[0];
        return Files.createTempFile(folder, "." + path.getFileName() + ".", ".new", mode);
    }

    private void keepOwner(Path made) {
        PosixFileAttributeView to = Files.getFileAttributeView(made, PosixFileAttributeView.class);
        if (to == null) {
            return;
        }
        try {
            PosixFileAttributes old = Files.readAttributes(path, PosixFileAttributes.class);
            PosixFileAttributes now = to.readAttributes();
            if (!old.group().equals(now.group())) {
                to.setGroup(old.group());
            }
            if (!old.owner().equals(now.owner())) {
                to.setOwner(old.owner());
            }
        } catch (IOException e) {
            // Only root may give files away: then it belongs to who has written it.
        }
    }

    private static void remove(@Nullable Path made) {
        if (made != null) {
            try {
                Files.deleteIfExists(made);
            } catch (IOException e) {
                // It holds nothing that the old file does not.
            }
        }
    }
}
