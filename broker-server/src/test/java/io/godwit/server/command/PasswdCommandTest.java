package io.godwit.server.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.security.users.PasswordHash;
import io.godwit.server.security.users.UsersFile;
import io.godwit.server.security.users.UsersMistake;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class PasswdCommandTest {
    private @TempDir Path folder;
    private Path file;
    private String out = "";
    private String err = "";

    @BeforeEach
    void name() {
        file = folder.resolve("users");
    }

    @Test
    void first_user_creates_the_file_for_its_owner_alone() throws Exception {
        assertThat(run("wonderland\n", "alice")).isZero();
        assertThat(Files.readString(file))
                .matches("alice:\\$argon2id\\$v=19\\$m=19456,t=2,p=1\\$[^$]+\\$[^$]+\n")
                .doesNotContain("wonderland");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
        assertThat(folder).isDirectoryNotContaining(each -> !each.equals(file));
        assertThat(out + err).isEmpty();
    }

    @Test
    void other_lines_and_remarks_stay_as_they_are() throws Exception {
        String bob = "bob:$token$AAAAAAAAAAAAAAAA$" + "A".repeat(43) + "\n";
        Files.writeString(file, "# people\n" + "alice" + bob.substring(3) + "\n# others\n" + bob);
        assertThat(run("wonderland", "alice")).isZero();
        assertThat(Files.readString(file))
                .startsWith("# people\nalice:$argon2id$")
                .endsWith("\n\n# others\n" + bob);
        assertThat(run("", "alice", "--delete")).isZero();
        assertThat(Files.readString(file)).isEqualTo("# people\n\n# others\n" + bob);
    }

    @Test
    void scram_stores_keys_instead() throws Exception {
        assertThat(run("wonderland\n", "--scram", "alice")).isZero();
        assertThat(Files.readString(file)).startsWith("alice:$scram-sha-256$15000$");
    }

    @Test
    void generated_secret_is_printed_once_and_is_not_in_the_file() throws Exception {
        assertThat(run("", "--generate", "device")).isZero();
        assertThat(out).matches("[a-z2-7]{32}\n");
        assertThat(Files.readString(file)).startsWith("device:$token$").doesNotContain(out.strip());
    }

    @Test
    void batch_makes_a_secret_for_each_name() throws Exception {
        assertThat(run("d1\nd2\r\n\nd3", "--batch", "--generate")).isZero();
        assertThat(out).matches("d1\t[a-z2-7]{32}\nd2\t[a-z2-7]{32}\nd3\t[a-z2-7]{32}\n");
        assertThat(users().keySet()).containsExactly("d1", "d2", "d3");
        assertThat(run("d1\nd3\n", "--batch", "--delete")).isZero();
        assertThat(users().keySet()).containsExactly("d2");
        assertThat(run("a:b:c\nd2:x\n", "--batch", "--scram")).isZero();
        assertThat(users().keySet()).containsExactly("d2", "a");
    }

    @Test
    void batch_with_a_mistake_changes_nothing_and_prints_no_secret() throws Exception {
        run("", "--generate", "d1");
        String before = Files.readString(file);
        assertThat(run("d2\nd:3\n", "--batch", "--generate")).isOne();
        assertThat(err)
                .contains("line 2: a user name must not contain a colon; nothing is changed");
        assertThat(run("d1\nd9\n", "--batch", "--delete")).isOne();
        assertThat(err).contains("line 2: there is no user d9");
        assertThat(run("d2:\n", "--batch")).isOne();
        assertThat(err).contains("line 1: the password is empty");
        assertThat(out).isEmpty();
        assertThat(Files.readString(file)).isEqualTo(before);
    }

    @Test
    void list_prints_names_and_kinds() throws Exception {
        run("d1\nd2\n", "--batch", "--generate");
        assertThat(run("", "--list")).isZero();
        assertThat(out).isEqualTo("d1\ttoken\nd2\ttoken\n");
    }

    @Test
    void file_of_a_link_is_replaced_and_not_the_link() throws Exception {
        Path real = Files.createDirectory(folder.resolve("real")).resolve("users");
        Files.writeString(real, "");
        Files.createSymbolicLink(file, real);
        assertThat(run("", "--generate", "d1")).isZero();
        assertThat(file).isSymbolicLink();
        assertThat(Files.readString(real)).startsWith("d1:");
    }

    @Test
    void what_can_not_be_done_says_why() throws Exception {
        assertThat(run("", "--delete", "alice")).isOne();
        assertThat(err).contains("users: can't be read: it does not exist");
        assertThat(run("\n", "alice")).isOne();
        assertThat(err).isEqualTo("godwit passwd: the password is empty; nothing is changed\n");
        assertThat(file).doesNotExist();
        Files.writeString(file, "alice\n");
        assertThat(run("secret\n", "alice")).isOne();
        assertThat(err).contains("users, line 1: there is no colon");
        assertThat(Files.readString(file)).isEqualTo("alice\n");
    }

    @Test
    void wrong_arguments_are_refused() {
        assertThat(run("")).isEqualTo(2);
        assertThat(run("", "--list", "alice")).isEqualTo(2);
        assertThat(run("", "--batch", "alice")).isEqualTo(2);
        assertThat(run("", "--delete", "--scram", "alice")).isEqualTo(2);
        assertThat(run("", "al:ice")).isEqualTo(2);
        assertThat(run("", "alice", "password")).isEqualTo(2);
    }

    private Map<String, PasswordHash> users() throws UsersMistake {
        return UsersFile.read(file);
    }

    private int run(String input, String... arguments) {
        ByteArrayOutputStream outBytes = new ByteArrayOutputStream();
        ByteArrayOutputStream errBytes = new ByteArrayOutputStream();
        PasswdCommand command =
                new PasswdCommand(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        new PrintStream(outBytes, true, StandardCharsets.UTF_8),
                        new PrintStream(errBytes, true, StandardCharsets.UTF_8),
                        null);
        String[] all = new String[arguments.length + 1];
        all[0] = file.toString();
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        int exitCode = new CommandLine(command).execute(all);
        out = outBytes.toString(StandardCharsets.UTF_8);
        err = errBytes.toString(StandardCharsets.UTF_8);
        return exitCode;
    }
}
