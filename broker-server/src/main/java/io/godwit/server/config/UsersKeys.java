package io.godwit.server.config;

import java.util.List;

/** The part of {@code security} about the file of users; it follows {@link SecurityKeys}. */
final class UsersKeys {
    private static final long DAY_MS = 24 * 3_600_000;

    private static final KeyTable TABLE = new KeyTable();

    static final Key<String> FILE =
            TABLE.key(
                    "security.users",
                    ValueType.path("empty, or a file", text -> true),
                    "",
                    "A file of users, one a line, as 'godwit passwd' or mosquitto_passwd writes it:"
                            + " name:hash. It has at most 64 MiB. Empty: there are no users.");

    static final Key<Long> HASHERS =
            TABLE.key(
                    "security.hashers",
                    Quantity.number(1, 64),
                    2L,
                    "Threads that hash passwords to check them. Each takes 19 MiB of the Java heap"
                            + " while it is used, more if a line of security.users says so; there are"
                            + " never more threads than an eighth of the heap has room for.");

    static final Key<Long> CACHE_TIME =
            TABLE.key(
                    "security.cache-time",
                    Quantity.millis(1_000, DAY_MS).orZero(),
                    300_000L,
                    "How long a password that was right is remembered, as a keyed hash in memory, so"
                            + " that it need not be hashed again when the client comes back. It is"
                            + " forgotten when the user's line changes. 0: not at all.");

    static final Key<Long> RELOAD =
            TABLE.key(
                    "security.reload",
                    Quantity.millis(1_000, DAY_MS).orZero(),
                    10_000L,
                    "How often the content of security.users and security.rules is compared with what is"
                            + " in use. A file that is not accepted changes nothing. 0: never, only on SIGHUP"
                            + " and POST /reload.");

    static final List<Key<?>> ALL = TABLE.keys();

    private UsersKeys() {}
}
