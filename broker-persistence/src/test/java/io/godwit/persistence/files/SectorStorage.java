package io.godwit.persistence.files;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Files in memory of which a power cut leaves, for each sector that was not synced, any state it
 * had since the last sync, or garbage. Files that were made or deleted since the folder was synced
 * are there or not.
 */
final class SectorStorage implements Storage {
    private final Random random;
    private final TreeMap<String, Node> files = new TreeMap<>();
    private final TreeMap<String, Node> durable = new TreeMap<>();

    /** Operations until one fails; below 0: none does. */
    int failAfter = -1;

    SectorStorage(Random random) {
        this.random = random;
    }

    /** What the next process finds after the power went. */
    SectorStorage powerCut() {
        SectorStorage next = new SectorStorage(random);
        TreeMap<String, Node> all = new TreeMap<>(durable);
        for (Map.Entry<String, Node> each : files.entrySet()) {
            if (durable.containsKey(each.getKey()) || random.nextBoolean()) {
                all.put(each.getKey(), each.getValue());
            }
        }
        all.keySet().removeIf(name -> !files.containsKey(name) && random.nextBoolean());
        all.forEach((name, node) -> next.files.put(name, node.cut(next)));
        next.durable.putAll(next.files);
        return next;
    }

    /** What the next process finds after this one was killed. */
    SectorStorage kill() {
        failAfter = -1;
        return this;
    }

    byte[] content(String name) {
        return node(name).bytes;
    }

    private Node node(String name) {
        Node node = files.get(name);
        if (node == null) {
            throw new IllegalArgumentException(name);
        }
        return node;
    }

    private void step() throws IOException {
        if (failAfter == 0) {
            throw new IOException("the disk has gone");
        }
        failAfter--;
    }

    @Override
    public List<String> names() {
        return List.copyOf(files.keySet());
    }

    @Override
    public Content open(String name) throws IOException {
        step();
        return files.computeIfAbsent(name, any -> new Node());
    }

    @Override
    public byte @Nullable [] read(String name) {
        Node node = files.get(name);
        return node == null ? null : node.bytes.clone();
    }

    @Override
    public void replace(String name, byte[] content) throws IOException {
        Node node = new Node();
        node.bytes = content.clone();
        boolean fails = failAfter == 0;
        if (!fails || random.nextBoolean()) {
            files.put(name, node);
            durable.put(name, node);
        }
        step();
        sync();
    }

    @Override
    public void delete(String name) {
        files.remove(name);
    }

    @Override
    public void sync() throws IOException {
        step();
        durable.clear();
        durable.putAll(files);
    }

    /** A file, with what each unsynced sector was before and between. */
    private final class Node implements Content {
        private byte[] bytes = new byte[0];
        private final Map<Integer, List<byte[]>> before = new TreeMap<>();

        Node cut(SectorStorage next) {
            Node node = next.new Node();
            node.bytes = bytes.clone();
            before.forEach((sector, versions) -> {
                int start = sector * Format.SECTOR;
                int length = Math.min(Format.SECTOR, bytes.length - start);
                int choice = random.nextInt(versions.size() + 2);
                if (choice < versions.size()) {
                    System.arraycopy(versions.get(choice), 0, node.bytes, start, length);
                } else if (choice == versions.size() && random.nextInt(4) == 0) {
                    byte[] garbage = new byte[length];
                    random.nextBytes(garbage);
                    System.arraycopy(garbage, 0, node.bytes, start, length);
                }
            });
            return node;
        }

        @Override
        public long length() {
            return bytes.length;
        }

        @Override
        public int write(ByteBuffer from, long at) throws IOException {
            boolean fails = failAfter == 0;
            // Now and then not all of it; when it fails, some of it all the same.
            int length = from.remaining();
            if (fails || random.nextInt(8) == 0) {
                length = 1 + random.nextInt(length);
            }
            int start = (int) at;
            if (start + length > bytes.length) {
                bytes = Arrays.copyOf(bytes, start + length);
            }
            for (int sector = start / Format.SECTOR;
                    sector <= (start + length - 1) / Format.SECTOR;
                    sector++) {
                int first = sector * Format.SECTOR;
                byte[] old = Arrays.copyOfRange(bytes, first, first + Format.SECTOR);
                before.computeIfAbsent(sector, any -> new ArrayList<>()).add(old);
            }
            from.get(bytes, start, length);
            step();
            return length;
        }

        @Override
        public int read(ByteBuffer to, long at) {
            int length = (int) Math.min(to.remaining(), bytes.length - at);
            if (length <= 0) {
                return -1;
            }
            to.put(bytes, (int) at, length);
            return length;
        }

        @Override
        public void force(boolean metadata) throws IOException {
            step();
            before.clear();
        }

        @Override
        public void close() {}
    }
}
