package io.godwit.server.config;

import org.jspecify.annotations.Nullable;

/** {@link ConfigAssembly} for the file of users. */
final class UsersAssembly {
    /** Bytes that it takes to check a password that 'godwit passwd' has hashed. */
    static final long HASH_BYTES = 19L << 20;

    /** Bytes that any other one may take. */
    static final long HASH_BYTES_MAX = 64L << 20;

    /** Hashing takes this part of the heap at most, where one hash fits. */
    private static final int HEAP_SHARE = 8;

    private final Values values;
    private final ConfigFolders folders;
    private final MemoryBudget budget;

    UsersAssembly(Values values, ConfigFolders folders, MemoryBudget budget) {
        this.values = values;
        this.folders = folders;
        this.budget = budget;
    }

    @Nullable UsersConfig assemble() {
        String file = values.get(UsersKeys.FILE);
        int wanted = values.getInt(UsersKeys.HASHERS);
        long cacheMs = values.get(UsersKeys.CACHE_TIME);
        if (file.isEmpty()) {
            refuseAlone(UsersKeys.HASHERS, wanted != UsersKeys.HASHERS.fallback());
            refuseAlone(UsersKeys.CACHE_TIME, cacheMs != UsersKeys.CACHE_TIME.fallback());
            return null;
        }
        long share = budget.heapBytes() / HEAP_SHARE;
        int hashers = Math.clamp(share / HASH_BYTES, 1, wanted);
        long bytes = Math.clamp(share / hashers, HASH_BYTES, HASH_BYTES_MAX);
        return new UsersConfig(folders.resolve(file), hashers, bytes, cacheMs);
    }

    private void refuseAlone(Key<Long> key, boolean isChanged) {
        if (isChanged && values.isSet(key.name())) {
            values.refuse(key.name(), "needs security.users to be set");
        }
    }
}
