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

    private void refused() {
        assertThatThrownBy(() -> StoreOwner.expect(store, 5))
                .isInstanceOf(StoreUnusable.class)
                .hasMessageContaining("there is no store in " + store)
                .hasMessageContaining("delete " + data.resolve("server-id"));
        assertThat(store.resolve("CURRENT")).doesNotExist();
    }
}
