package io.godwit.persistence.files;

import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whose store it is: the file {@code owner} holds the server id of the node that opened it first.
 * With another id the node would give out ids that are not its own. What a copy, an import or a
 * setting aside makes has no owner yet.
 */
public final class StoreOwner {
    private static final String NAME = "owner";

    private StoreOwner() {}

    /**
     * Binds the store to this node, or makes sure that it is bound to it.
     *
     * @throws StoreUnusable when it belongs to another server id
     */
    public static void bind(Path store, int serverId) throws StoreUnusable {
        try {
            byte[] there = FolderStorage.at(store).read(NAME);
            if (there == null) {
                String text = serverId + "\n";
                FolderStorage.at(store).replace(NAME, text.getBytes(StandardCharsets.US_ASCII));
                return;
            }
            String owner = new String(there, StandardCharsets.US_ASCII).strip();
            if (!owner.equals(Integer.toString(serverId))) {
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
        } catch (IOException e) {
            throw new StoreUnusable("can't read whose store " + store + " is: " + e, e);
        }
    }

    /** Whoever opens it next owns it. */
    public static void release(Path store) throws IOException {
        Files.deleteIfExists(store.resolve(NAME));
    }
}
