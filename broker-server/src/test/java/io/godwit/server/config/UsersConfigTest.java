package io.godwit.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UsersConfigTest {
    private static final Path HOME = Path.of("/opt/godwit");
    private static final ConfigFolders FOLDERS = new ConfigFolders(HOME, HOME);

    @Test
    void without_a_file_there_are_no_users_and_nobody_is_asked() throws Exception {
        SecurityConfig security = load(1024);
        assertThat(security.users()).isNull();
        assertThat(security.authenticators()).isEmpty();
    }

    @Test
    void file_of_users_is_asked_without_being_named() throws Exception {
        SecurityConfig security = load(1024, "security.users=conf/users");
        assertThat(security.authenticators()).containsExactly("users");
        assertThat(security.users())
                .isEqualTo(new UsersConfig(HOME.resolve("conf/users"), 2, 64L << 20, 300_000));
        assertThat(security.reloadMs()).isEqualTo(10_000);
    }

    /** An eighth of the heap is divided among as many threads as it has room for. */
    @ParameterizedTest
    @CsvSource({
        "80, 2, 1, 19",
        "40, 2, 1, 19",
        "256, 2, 1, 32",
        "1024, 16, 6, 21",
        "1024, 4, 4, 32",
        "1024, 1, 1, 64"
    })
    void hashers_take_an_eighth_of_the_heap_at_most(
            int heapMiB, int wanted, int hashers, long hashMiB) throws Exception {
        UsersConfig users =
                load(heapMiB, "security.users=users", "security.hashers=" + wanted).users();
        assertThat(users).isNotNull();
        assertThat(users.hashers()).isEqualTo(hashers);
        assertThat(users.hashBytesMax() >> 20).isEqualTo(hashMiB);
    }

    @Test
    void defaults_that_are_shares_of_the_heap_leave_room_for_hashing() throws Exception {
        assertThat(whole(1024).overload().memoryBytes() >> 20).isEqualTo(512);
        assertThat(whole(1024, "security.users=users").overload().memoryBytes() >> 20)
                .isEqualTo((1024 - 2 * 64) / 2);
    }

    @Test
    void what_needs_a_file_says_so() {
        assertThat(mistakes("security.hashers=4"))
                .singleElement()
                .asString()
                .contains("security.hashers", "needs security.users to be set");
        assertThat(mistakes("security.cache-time=0"))
                .singleElement()
                .asString()
                .contains("security.cache-time", "needs security.users to be set");
        assertThat(mistakes("security.authenticators=users"))
                .singleElement()
                .asString()
                .contains("security.authenticators", "users needs security.users to be set");
        assertThat(mistakes("security.users=users", "security.hashers=0"))
                .singleElement()
                .asString()
                .contains("security.hashers", "1..64");
    }

    @Test
    void authorizers_are_all_unless_they_are_named_and_rules_come_last() throws ConfigException {
        assertThat(load(1024).authorizers()).isNull();
        assertThat(load(1024, "security.authorizers=auto").authorizers()).isNull();
        assertThat(load(1024, "security.authorizers=door, rules").authorizers())
                .containsExactly("door", "rules");
        for (String bad : List.of("", "auto,door", "rules,door", "users")) {
            assertThat(mistakes("security.authorizers=" + bad))
                    .as(bad)
                    .singleElement()
                    .asString()
                    .contains("security.authorizers");
        }
    }

    private static SecurityConfig load(int heapMiB, String... sets) throws ConfigException {
        return whole(heapMiB, sets).security();
    }

    private static Config whole(int heapMiB, String... sets) throws ConfigException {
        MemoryBudget budget = new MemoryBudget((long) heapMiB << 20, 256L << 20, 128L << 20);
        return ConfigLoader.load(null, Map.of(), List.of(sets), FOLDERS, budget);
    }

    private static List<ConfigProblem> mistakes(String... sets) {
        ConfigException failure =
                catchThrowableOfType(ConfigException.class, () -> load(1024, sets));
        assertThat(failure).as("the configuration is refused").isNotNull();
        return failure.problems();
    }
}
