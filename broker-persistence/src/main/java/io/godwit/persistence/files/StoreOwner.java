package io.godwit.persistence.files;

import io.godwit.core.failure.FileCauses;
import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Whose store it is: the file {@code owner} holds the server id of the node that opened it first.
 * With another id the node would give out ids that are not its own. What a copy, an import or a
 * setting aside makes has no owner yet.
 *
 * <p>The same id stands in {@code store-owner} beside the store's folder: a node that has had a
 * store and finds none does not begin again with ids that it has given before.
 */
public final class StoreOwner {
    private static final String NAME = "owner";
    private static final String BESIDE = "store-owner";

    private StoreOwner() {}

    /**
     * Makes sure that a node which has had a store still has one; before it is opened.
     *
     * @throws StoreUnusable when it is gone
     */
    public static void expect(Path store, int serverId) throws StoreUnusable {
        if (Files.exists(store.resolve("CURRENT"))) {
            return;
        }
        Path data = parent(store);
        String owner;
        try {
            owner = read(FolderStorage.at(data), BESIDE);
        } catch (IOException e) {
            throw new StoreUnusable(
                    "can't read " + data.resolve(BESIDE) + ": " + FileCauses.of(e), e);
        }
        if (Integer.toString(serverId).equals(owner)) {
            throw new StoreUnusable(
                    "there is no store in "
                            + store
                            + ", but this node has had one there: it was deleted, or its disk is not"
                            + " mounted. The broker was not started with an empty one. Put the store"
                            + " back, or restore a backup ('godwit store restore'). To start as a"
                            + " new node without sessions and messages, delete "
                            + data.resolve("server-id")
                            + ".");
        }
    }

    /**
     * The server id of the node that the store belongs to.
     *
     * @throws StoreUnusable when no node has opened it yet
     */
    public static int of(Path store) throws StoreUnusable {
        try {
            String owner = read(FolderStorage.at(store), NAME);
            if (owner == null) {
                throw new StoreUnusable(
                        "the store in " + store + " has no owner yet: start the broker on it once");
            }
            return Integer.parseInt(owner);
        } catch (NumberFormatException e) {
            throw new StoreUnusable(store.resolve(NAME) + " holds no server id", e);
        } catch (IOException e) {
            throw new StoreUnusable(
                    "can't read " + store.resolve(NAME) + ": " + FileCauses.of(e), e);
        }
    }

    /**
     * Binds the store to this node, or makes sure that it is bound to it.
     *
     * @throws StoreUnusable when it belongs to another server id
     */
    public static void bind(Path store, int serverId) throws StoreUnusable {
        try {
            String owner = read(FolderStorage.at(store), NAME);
            if (owner == null) {
                write(FolderStorage.at(store), NAME, serverId);
            } else if (!owner.equals(Integer.toString(serverId))) {
                throw new StoreUnusable(
                        "the store in "
                                + store
                                + " belongs to server id "
                                + (owner.length() > 20 ? owner.substring(0, 20) : owner)
                                + ", but this node's file server-id says "
                                + serverId
                                + ". It was not opened. If it is this node's store, write "
                                + owner
                                + " into server-id; if it is a copy of another node's, use 'godwit"
                                + " store backup' and 'restore'.");
            }
            FolderStorage data = FolderStorage.at(parent(store));
            if (!Integer.toString(serverId).equals(read(data, BESIDE))) {
                write(data, BESIDE, serverId);
            }
        } catch (IOException e) {
            throw new StoreUnusable(
                    "can't read or write whose store " + store + " is: " + FileCauses.withFile(e),
                    e);
        }
    }

    private static Path parent(Path store) {
        return store.toAbsolutePath().resolveSibling("");
    }

    private static @Nullable String read(FolderStorage folder, String name) throws IOException {
        byte[] there = folder.read(name);
        return there == null ? null : new String(there, StandardCharsets.US_ASCII).strip();
    }

    private static void write(FolderStorage folder, String name, int serverId) throws IOException {
        folder.replace(name, (serverId + "\n").getBytes(StandardCharsets.US_ASCII));
    }

    /** Whoever opens it next owns it. */
    public static void release(Path store) throws IOException {
        Files.deleteIfExists(store.resolve(NAME));
    }
}
