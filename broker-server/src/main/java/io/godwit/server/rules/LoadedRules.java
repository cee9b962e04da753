package io.godwit.server.rules;

import io.godwit.core.auth.rules.AccessList;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** A file of rules that was read and checked as a whole. */
public final class LoadedRules {
    private final Path file;
    private final AccessList list;
    private final int[] lines;
    private final byte[] digest;

    /**
     * @param digest of the file's content
     */
    LoadedRules(Path file, AccessList list, List<Integer> lines, byte[] digest) {
        this.file = file;
        this.list = list;
        this.lines = lines.stream().mapToInt(Integer::intValue).toArray();
        this.digest = digest;
    }

    public Path file() {
        return file;
    }

    public AccessList list() {
        return list;
    }

    /** Returns the line at which a rule begins, from 1. */
    public int line(int rule) {
        return lines[rule];
    }

    /** Returns the first bytes of the digest of the file. */
    long fileDigest() {
        return ByteBuffer.wrap(digest).getLong();
    }

    /** Whether the file had the same content. */
    boolean isOf(byte[] other) {
        return Arrays.equals(digest, other);
    }

    /** Says in one line what it holds. */
    public String summary() {
        return file + ": " + count(list.size(), "rule") + ", " + count(list.groups(), "group");
    }

    private static String count(int number, String what) {
        return number + " " + what + (number == 1 ? "" : "s");
    }
}
