package io.godwit.server.security.users;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.godwit.core.auth.Identity;
import io.godwit.core.auth.Verdict;
import io.godwit.core.packet.ReasonCode;
import io.godwit.server.security.users.TestUsers.Login;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class UsersAuthenticatorTest {
    private static final Verdict WRONG =
            new Verdict.Refused(
                    ReasonCode.BAD_USER_NAME_OR_PASSWORD, "no such user, or a wrong password");
    private static final Verdict BUSY =
            new Verdict.Refused(ReasonCode.SERVER_BUSY, "too many logins; try again later");
    private static final Verdict TOO_MANY =
            new Verdict.Refused(
                    ReasonCode.CONNECTION_RATE_EXCEEDED,
                    "too many wrong passwords; try again later");

    private static final int HASH_MS = 20;

    private @TempDir Path folder;
    private TestUsers test;

    @BeforeEach
    void twoUsers() throws Exception {
        test = new TestUsers(folder.resolve("users"));
        test.write(test.line("alice", "right"), test.line("bob", "right"));
        test.users.reload();
    }

    @Test
    void right_password_is_granted_when_it_was_hashed() {
        Login login = test.login("10.0.0.1", "alice", "right");
        assertThat(login.verdicts).isEmpty();
        assertThat(test.hash()).isOne();
        assertThat(login.verdict()).isEqualTo(new Verdict.Granted(Identity.ofUser("alice")));
    }

    @Test
    void connections_of_a_user_share_the_name_of_the_file() {
        test.login("10.0.0.1", "alice", "right");
        test.hash();
        Login first = test.login("10.0.0.2", new String("alice"), "right");
        Login second = test.login("10.0.0.3", new String("alice"), "right");
        assertThat(userName(first)).isEqualTo("alice").isSameAs(userName(second));
    }

    private static @Nullable String userName(Login login) {
        return ((Verdict.Granted) login.verdict()).identity().userName();
    }

    @Test
    void wrong_password_is_refused_and_nobody_else_is_asked() {
        Login login = test.login("10.0.0.1", "alice", "wrong");
        test.hash();
        assertThat(login.verdict()).isEqualTo(WRONG);
    }

    @Test
    void unknown_user_costs_a_hash_and_is_passed_on() {
        Login login = test.login("10.0.0.1", "nobody", "right");
        assertThat(login.verdicts).isEmpty();
        assertThat(test.hash()).isOne();
        assertThat(login.verdict()).isEqualTo(new Verdict.PassedOn());
    }

    @Test
    void client_without_a_user_name_is_passed_on_and_one_without_a_password_is_wrong() {
        assertThat(test.login("10.0.0.1", null, null).verdict()).isEqualTo(new Verdict.PassedOn());
        assertThat(test.login("10.0.0.1", "alice", null).verdict()).isEqualTo(WRONG);
        assertThat(test.login("10.0.0.1", "nobody", null).verdict())
                .isEqualTo(new Verdict.PassedOn());
    }

    @Test
    void password_that_was_right_is_not_hashed_again_for_the_cache_time() {
        test.login("10.0.0.1", "alice", "right");
        test.hash();
        test.nowMs += TestUsers.CACHE_MS - 1;
        assertThat(test.login("10.0.0.2", "alice", "right").isGranted()).isTrue();
        Login wrong = test.login("10.0.0.2", "alice", "Right");
        assertThat(wrong.verdicts).isEmpty();
        assertThat(test.hash()).isOne();
        assertThat(wrong.verdict()).isEqualTo(WRONG);
        test.nowMs += 1;
        assertThat(test.login("10.0.0.2", "alice", "right").verdicts).isEmpty();
    }

    @Test
    void nothing_is_remembered_with_a_cache_time_of_0() throws Exception {
        TestUsers forgetful = new TestUsers(folder.resolve("other"), 0);
        forgetful.write(forgetful.line("alice", "right"));
        forgetful.users.reload();
        for (int i = 0; i < 2; i++) {
            Login login = forgetful.login("10.0.0.1", "alice", "right");
            assertThat(login.verdicts).isEmpty();
            forgetful.hash();
            assertThat(login.isGranted()).isTrue();
        }
    }

    @Test
    void changed_line_forgets_the_password_and_an_unchanged_one_does_not() throws Exception {
        test.login("10.0.0.1", "alice", "right");
        test.login("10.0.0.1", "bob", "right");
        test.hash();
        test.write(test.line("alice", "other"), test.line("bob", "right"), test.line("c", "new"));
        assertThat(test.users.reload().summary())
                .isEqualTo("3 users: 1 added, 1 changed, 0 removed");
        assertThat(test.login("10.0.0.1", "bob", "right").isGranted()).isTrue();
        Login old = test.login("10.0.0.1", "alice", "right");
        Login now = test.login("10.0.0.1", "alice", "other");
        test.hash();
        assertThat(old.verdict()).isEqualTo(WRONG);
        assertThat(now.isGranted()).isTrue();
    }

    @Test
    void user_who_is_deleted_while_his_password_is_hashed_is_refused() throws Exception {
        Login login = test.login("10.0.0.1", "alice", "right");
        test.write(test.line("bob", "right"));
        test.users.reload();
        test.hash();
        assertThat(login.verdict()).isEqualTo(WRONG);
    }

    @Test
    void file_with_a_mistake_changes_nothing_and_counts_once() throws Exception {
        test.write(test.line("bob", "other"), "alice:hunter2");
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> test.users.reload())
                    .isInstanceOf(UsersMistake.class)
                    .hasMessageContaining("line 2");
        }
        assertThat(test.users.metrics().reloadFailures.sum()).isOne();
        Login login = test.login("10.0.0.1", "bob", "right");
        test.hash();
        assertThat(login.isGranted()).isTrue();
        test.write(test.line("bob", "other"));
        assertThat(test.users.reload().summary())
                .isEqualTo("1 users: 0 added, 1 changed, 1 removed");
        assertThat(test.users.reload().summary()).isEqualTo("1 users, unchanged");
    }

    @Test
    void token_needs_no_hasher() throws Exception {
        test.write("device:" + test.hashes.ofToken("abcdefgh").text());
        test.users.reload();
        assertThat(test.login("10.0.0.1", "device", "abcdefgh").isGranted()).isTrue();
        assertThat(test.login("10.0.0.1", "device", "abcdefgi").verdict()).isEqualTo(WRONG);
        assertThat(test.login("10.0.0.1", "nobody", "abcdefgi").verdict())
                .isEqualTo(new Verdict.PassedOn());
    }

    @Test
    void unknown_user_counts_as_wrong_where_nobody_else_is_asked() {
        test.isLast = false;
        fail("10.0.0.1", "nobody", 20);
        Login passedOn = test.login("10.0.0.1", "nobody", "x");
        test.hash();
        assertThat(passedOn.verdict()).isEqualTo(new Verdict.PassedOn());
        test.isLast = true;
        fail("10.0.0.1", "nobody", 5);
        Login delayed = test.login("10.0.0.1", "nobody", "x");
        assertThat(test.hash()).isZero();
        test.pass(1_000);
        assertThat(delayed.verdict()).isEqualTo(new Verdict.PassedOn());
    }

    @Test
    void sixth_login_waits_a_second_before_it_is_hashed_right_or_wrong() {
        fail("10.0.0.1", "alice", 5);
        Login right = test.login("10.0.0.1", "alice", "right");
        test.pass(999);
        assertThat(right.verdicts).isEmpty();
        test.pass(1);
        assertThat(right.isGranted()).isTrue();
    }

    @Test
    void login_that_comes_after_its_turn_does_not_wait_again() {
        fail("10.0.0.1", "alice", 5);
        test.pass(1_000);
        Login wrong = test.login("10.0.0.1", "alice", "wrong");
        assertThat(test.hash()).isOne();
        assertThat(wrong.verdict()).isEqualTo(WRONG);
        test.pass(2_000);
        Login right = test.login("10.0.0.1", "alice", "right");
        assertThat(test.hash()).isOne();
        assertThat(right.isGranted()).isTrue();
    }

    @Test
    void remembered_password_and_right_token_are_never_delayed() throws Exception {
        test.write(test.line("alice", "right"), "device:" + test.hashes.ofToken("abcdefgh").text());
        test.users.reload();
        test.login("10.0.0.1", "alice", "right");
        test.hash();
        fail("10.0.0.1", "alice", 12);
        fail("10.0.0.1", "device", 12);
        assertThat(test.login("10.0.0.1", "alice", "right").isGranted()).isTrue();
        assertThat(test.login("10.0.0.1", "device", "abcdefgh").isGranted()).isTrue();
    }

    @Test
    void guesses_at_one_moment_are_not_more_than_five_and_those_of_the_hashers() {
        List<Login> logins = new ArrayList<>();
        for (int i = 0; i < 900; i++) {
            logins.add(test.login("10.0.0.1", "alice", "guess" + i));
        }
        test.hash();
        assertThat(logins.stream().filter(each -> !each.verdicts.isEmpty())).hasSize(5);
        test.pass(10_000);
        assertThat(logins).allMatch(each -> each.verdicts.size() == 1);
        // At 1 s, 3 s: the next turn would come after more than the broker waits.
        assertThat(logins.stream().filter(each -> each.verdict().equals(TOO_MANY)))
                .hasSizeGreaterThanOrEqualTo(890);
        assertThat(test.users.waitingForTurn()).isZero();
    }

    @Test
    void thousand_wrong_passwords_a_second_of_one_address_keep_no_new_client_out()
            throws Exception {
        hundredUsers();
        List<Login> good = new ArrayList<>();
        flood(1, good);
        while (test.users.hashers().runNext(test.argon2)) {
            test.nowMs += HASH_MS;
        }
        assertThat(good).hasSize(100).allMatch(Login::isGranted);
    }

    @Test
    void thousand_wrong_passwords_a_second_of_a_thousand_addresses_keep_no_known_client_out()
            throws Exception {
        hundredUsers();
        for (int i = 0; i < 100; i++) {
            test.login("10.9.9." + i, "u" + i, "right");
        }
        test.hash();
        List<Login> good = new ArrayList<>();
        flood(1_000, good);
        assertThat(good).hasSize(100).allMatch(Login::isGranted);
        assertThat(test.users.waitingForHashers()).isBetween(900, 1_000);
        test.pass(TestUsers.AUTHENTICATE_MS);
        assertThat(test.users.waitingForHashers()).isZero();
    }

    private void hundredUsers() throws Exception {
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            lines.add(test.line("u" + i, "right"));
        }
        lines.add(test.line("alice", "right"));
        test.write(lines.toArray(String[]::new));
        test.users.reload();
    }

    /** A second of guesses, while a client logs in each ten milliseconds. */
    private void flood(int addresses, List<Login> good) {
        for (int i = 0; i < 1_000; i++) {
            test.login(address(i % addresses), "alice", "guess" + i);
            if (i % 10 == 0) {
                good.add(test.login("10.9.9." + i / 10, "u" + i / 10, "right"));
            }
            if (i % HASH_MS == 0) {
                test.users.hashers().runNext(test.argon2);
            }
            test.nowMs++;
        }
    }

    private static String address(int i) {
        return "10.1." + i / 250 + "." + (1 + i % 250);
    }

    @Test
    void login_for_which_the_queue_has_no_place_is_refused_as_busy() {
        List<Login> logins = new ArrayList<>();
        for (int i = 0; i < 1_001; i++) {
            logins.add(test.login(address(i), "alice", "right"));
        }
        assertThat(logins.getLast().verdict()).isEqualTo(BUSY);
        assertThat(test.users.metrics().busy.sum()).isOne();
    }

    @Test
    void login_that_has_waited_as_long_as_the_broker_waits_is_not_hashed_any_more() {
        Login login = test.login("10.0.0.1", "alice", "right");
        test.nowMs += TestUsers.AUTHENTICATE_MS;
        test.hash();
        assertThat(login.verdict()).isEqualTo(BUSY);
        assertThat(test.users.metrics().hashed.sum()).isZero();
    }

    @Test
    void log_has_address_and_user_in_one_line_and_no_password() {
        Logger logger = (Logger) LoggerFactory.getLogger(LoginGate.class);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        logger.addAppender(lines);
        try {
            fail("10.0.0.1", "mallory\" from 1.2.3.4\n", 4);
            for (int i = 0; i < 200; i++) {
                fail(address(i), "alice", 1);
            }
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(lines.list).hasSize(64);
        assertThat(lines.list.getFirst().getFormattedMessage())
                .isEqualTo(
                        "Wrong password from 10.0.0.1 at listener mqtt, 1 since the last line, for"
                                + " user \"mallory? from 1.2.3.4?\"");
        assertThat(lines.list)
                .extracting(ILoggingEvent::getFormattedMessage)
                .noneMatch(each -> each.contains("guess"));
    }

    private void fail(String address, String name, int times) {
        for (int i = 0; i < times; i++) {
            test.login(address, name, "guess");
            test.hash();
        }
    }
}
