package io.godwit.server.security.users;

import io.godwit.core.failure.FileCauses;
import io.godwit.server.config.UsersConfig;
import io.godwit.server.reload.FileMemory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Reads a file of users: {@code name:hash}, one a line; empty lines and remarks (#) are left out.
 */
public final class UsersFile {
    /** The most bytes of a file. */
    public static final int BYTES_MAX = 64 << 20;

    /** Bytes of heap for each of the file: 2 to 2.7 were measured. */
    private static final int HEAP_FACTOR = 3;

    private static final String PART = "users";

    private final Path path;
    private final long hashBytesMax;
    private final FileMemory memory;

    /**
     * @param hashBytesMax memory that a hash may take
     * @param memory counts the users, and refuses too many
     */
    UsersFile(Path path, long hashBytesMax, FileMemory memory) {
        this.path = path;
        this.hashBytesMax = hashBytesMax;
        this.memory = memory;
    }

    /** Returns the bytes of the file. */
    static byte[] bytes(Path path) throws UsersMistake {
        try (InputStream in = Files.newInputStream(path)) {
            byte[] bytes = in.readNBytes(BYTES_MAX + 1);
            if (bytes.length > BYTES_MAX) {
                throw new UsersMistake(
                        path, "has more than " + (BYTES_MAX >> 20) + " MiB, which is the most");
            }
            return bytes;
        } catch (IOException e) {
            throw new UsersMistake(path, "can't be read: " + FileCauses.of(e));
        }
    }

    /**
     * Returns names and hashes as they stand in the file, in its order.
     *
     * @throws UsersMistake it can't be read, or the broker would not accept it
     */
    public static Map<String, PasswordHash> read(Path path) throws UsersMistake {
        Map<String, PasswordHash> hashes = new LinkedHashMap<>();
        new UsersFile(path, Long.MAX_VALUE, FileMemory.unbounded()).parse(bytes(path), hashes);
        return hashes;
    }

    /**
     * Reads the file as a start does, and keeps nothing.
     *
     * @throws UsersMistake it is not accepted
     */
    public static void check(UsersConfig config, FileMemory memory) throws UsersMistake {
        new UsersFile(config.file(), config.hashBytesMax(), memory).parse(bytes(config.file()));
    }

    UserTable parse(byte[] bytes) throws UsersMistake {
        long heap = (long) bytes.length * HEAP_FACTOR;
        String tooLarge = memory.mistake(PART, heap);
        if (tooLarge != null) {
            throw new UsersMistake(path, tooLarge);
        }
        Map<String, PasswordHash> hashes = new HashMap<>();
        parse(bytes, hashes);
        Map<String, User> users = new HashMap<>(hashes.size() * 2);
        hashes.forEach((name, hash) -> users.put(name, new User(name, hash)));
        memory.set(PART, heap);
        return new UserTable(users);
    }

    private void parse(byte[] bytes, Map<String, PasswordHash> into) throws UsersMistake {
        String text = text(bytes);
        int from = text.startsWith("\uFEFF") ? 1 : 0;
        for (int line = 1; from < text.length(); line++) {
            int end = text.indexOf('\n', from);
            end = end < 0 ? text.length() : end;
            String content = text.substring(from, end).strip();
            from = end + 1;
            if (content.isEmpty() || content.startsWith("#")) {
                continue;
            }
            int colon = content.indexOf(':');
            if (colon < 0) {
                throw new UsersMistake(path, line, "there is no colon: a line is name:hash");
            }
            String name = content.substring(0, colon);
            String mistake = UserName.mistake(name);
            if (mistake != null) {
                throw new UsersMistake(path, line, mistake);
            }
            if (into.put(name, hash(content.substring(colon + 1), line)) != null) {
                throw new UsersMistake(
                        path,
                        line,
                        "the user "
                                + UserName.shown(name)
                                + " stands in line "
                                + lineOf(name, text)
                                + " already");
            }
        }
    }

    /** Returns the number of the first line of a user. */
    private static int lineOf(String name, String text) {
        int line = 1;
        for (String each : text.split("\n", -1)) {
            if (each.replace("\uFEFF", "").strip().startsWith(name + ":")) {
                break;
            }
            line++;
        }
        return line;
    }

    private PasswordHash hash(String text, int line) throws UsersMistake {
        try {
            PasswordHash hash = HashText.parse(text);
            if (hash.memoryBytes() > hashBytesMax) {
                throw new UsersMistake(
                        path,
                        line,
                        "the hash takes "
                                + (hash.memoryBytes() >> 20)
                                + " MiB of memory, and this node has "
                                + (hashBytesMax >> 20)
                                + " MiB for one (node.memory, security.hashers)");
            }
            return hash;
        } catch (HashText.Illegal e) {
            throw new UsersMistake(path, line, String.valueOf(e.getMessage()));
        }
    }

    private String text(byte[] bytes) throws UsersMistake {
        CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder();
        ByteBuffer in = ByteBuffer.wrap(bytes);
        CharBuffer out = CharBuffer.allocate(bytes.length);
        CoderResult result = decoder.decode(in, out, true);
        if (result.isError()) {
            int line = 1;
            for (int i = 0; i < in.position(); i++) {
                line += bytes[i] == '\n' ? 1 : 0;
            }
            throw new UsersMistake(path, line, "it is not UTF-8 text");
        }
        return out.flip().toString();
    }
}
