package io.godwit.persistence.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.godwit.persistence.disk.StoreUnusable;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreOwnerTest {
    @TempDir Path data;
    Path store;

    @BeforeEach
    void start() throws Exception {
        store = Files.createDirectories(data.resolve("store"));
        Files.createFile(store.resolve("CURRENT"));
    }

    @Test
    void a_store_is_opened_by_its_own_node_alone() throws Exception {
        StoreOwner.bind(store, 5);
        StoreOwner.bind(store, 5);
        assertThatThrownBy(() -> StoreOwner.bind(store, 6))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining(
                        "belongs to server id 5, but this node's file server-id says 6");
        StoreOwner.release(store);
        StoreOwner.bind(store, 6);
    }

    @Test
    void a_node_whose_store_is_gone_does_not_begin_with_an_empty_one() throws Exception {
        StoreOwner.expect(store.resolveSibling("new"), 5);
        StoreOwner.bind(store, 5);
        StoreOwner.expect(store, 5);

        Files.delete(store.resolve("CURRENT")); // an empty folder, where its disk is mounted
        refused();
        Files.delete(store.resolve("owner"));
        Files.delete(store);
        refused();
        StoreOwner.expect(store, 7); // the operator has deleted server-id
    }

    @Test
    void owner_that_can_not_be_read_has_a_sentence_without_the_name_of_a_class() throws Exception {
        Path owner = store.resolve("owner");
        Files.writeString(owner, "five\n");
        assertThatThrownBy(() -> StoreOwner.of(store))
                .isInstanceOf(StoreUnusable.class)
                .hasMessage(owner + " holds no server id");
        Files.delete(owner);
        Files.createDirectory(owner);
        assertThatThrownBy(() -> StoreOwner.of(store))
                .hasMessage("can't read " + owner + ": is a directory");
        assertThatThrownBy(() -> StoreOwner.bind(store, 5))
                .hasMessage("can't read or write whose store " + store + " is: is a directory");

        Path beside = Files.createDirectory(data.resolve("store-owner"));
        Files.delete(store.resolve("CURRENT"));
        assertThatThrownBy(() -> StoreOwner.expect(store, 5))
                .hasMessage("can't read " + beside + ": is a directory");
    }

    private void refused() {
        assertThatThrownBy(() -> StoreOwner.expect(store, 5))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("there is no store in " + store)
                .hasMessageContaining("delete " + data.resolve("server-id"));
        assertThat(store.resolve("CURRENT")).doesNotExist();
    }
}
