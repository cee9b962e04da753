package io.godwit.server.command;

import io.godwit.server.security.users.NewHashes;
import io.godwit.server.security.users.PasswordHash;
import io.godwit.server.security.users.UserName;
import io.godwit.server.security.users.UsersFileEdit;
import io.godwit.server.security.users.UsersMistake;
import java.io.ByteArrayOutputStream;
import java.io.Console;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Changes a file of users. A password is never an argument: those of a process are public. Exit
 * codes: 0 done, 1 not done, 2 wrong arguments.
 */
@Command(
        name = "godwit passwd",
        description = {
            "Sets the password of a user in the file of security.users. It asks for the password"
                    + " twice, or reads a line of standard input when that is no terminal. A"
                    + " running broker has the new file after security.reload, or on SIGHUP.",
        })
public final class PasswdCommand implements Callable<Integer> {
    private static final int LINE_MAX = 3 * 65_535;

    @Mixin HelpOption help = new HelpOption();

    @Spec private @Nullable CommandSpec spec;

    @Parameters(
            index = "0",
            paramLabel = "FILE",
            description = "the file of users, which is created if it is missing")
    private Path file = Path.of("");

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "USER",
            description = "user name; none with --list and --batch")
    private @Nullable String user;

    @Option(names = "--delete", description = "deletes the user instead")
    private boolean delete;

    @Option(names = "--list", description = "prints the users' names and the kinds of their hashes")
    private boolean list;

    @Option(
            names = "--scram",
            description =
                    "stores keys of SCRAM-SHA-256: the user may log in with it, and with the"
                            + " password, too")
    private boolean scram;

    @Option(
            names = "--generate",
            description = "makes a secret of 160 random bits the password, and prints it once")
    private boolean generate;

    @Option(
            names = "--batch",
            description =
                    "reads many lines of standard input: user names with --generate, which prints"
                            + " each with its secret, and with --delete; name:password otherwise")
    private boolean batch;

    private final InputStream in;
    private final PrintStream out;
    private final PrintStream err;
    private final @Nullable Console console;
    private final NewHashes hashes = new NewHashes(new SecureRandom());

    public PasswdCommand() {
        this(System.in, System.out, System.err, System.console());
    }

    PasswdCommand(InputStream in, PrintStream out, PrintStream err, @Nullable Console console) {
        this.in = in;
        this.out = out;
        this.err = err;
        this.console = console;
    }

    /** It can't be done; the message says why. */
    private static final class NotDone extends Exception {
        private static final long serialVersionUID = 1L;

        NotDone(String message) {
            super(message);
        }
    }

    @Override
    public Integer call() {
        checkOptions();
        try {
            UsersFileEdit edit = UsersFileEdit.open(file, !list && !delete);
            if (list) {
                for (Map.Entry<String, PasswordHash> each : edit.hashes().entrySet()) {
                    out.println(each.getKey() + "\t" + each.getValue().kind());
                }
                return 0;
            }
            StringBuilder secrets = new StringBuilder();
            if (batch) {
                int number = 1;
                for (byte[] line = line(); line != null; line = line(), number++) {
                    batch(line, number, edit, secrets);
                }
            } else {
                one(edit, secrets);
            }
            edit.write();
            out.print(secrets); // when they are in the file, and not before
            return 0;
        } catch (UsersMistake | NotDone e) {
            err.println("godwit passwd: " + e.getMessage());
            return 1;
        } catch (IOException e) {
            err.println("godwit passwd: standard input can't be read");
            return 1;
        }
    }

    private void checkOptions() {
        if (list && (delete || scram || generate || batch)) {
            throw wrong("--list stands alone");
        }
        if (delete && (scram || generate)) {
            throw wrong("--delete goes with --batch only");
        }
        if ((user == null) != (list || batch)) {
            throw wrong(user == null ? "USER is missing" : "--list and --batch take no USER");
        }
        String mistake = user == null ? null : UserName.mistake(user);
        if (mistake != null) {
            throw wrong(mistake);
        }
    }

    private ParameterException wrong(String message) {
        CommandSpec own = spec;
        return new ParameterException(
                own == null ? new CommandLine(this) : own.commandLine(), message);
    }

    private void one(UsersFileEdit edit, StringBuilder secrets) throws NotDone, IOException {
        String name = user == null ? "" : user;
        if (delete) {
            if (!edit.delete(name)) {
                throw new NotDone("there is no user " + name + " in " + file);
            }
        } else if (generate) {
            secrets.append(generate(name, edit)).append(System.lineSeparator());
        } else {
            byte[] password = password();
            set(name, password, edit);
        }
    }

    private void batch(byte[] line, int number, UsersFileEdit edit, StringBuilder secrets)
            throws NotDone {
        int colon = delete || generate ? line.length : colon(line);
        if (line.length == 0) {
            return;
        }
        if (colon < 0) {
            throw new NotDone("standard input, line " + number + ": no colon; nothing is changed");
        }
        String name = new String(line, 0, colon, StandardCharsets.UTF_8);
        String mistake = UserName.mistake(name);
        if (mistake == null && delete && !edit.delete(name)) {
            mistake = "there is no user " + name;
        }
        if (mistake == null && colon == line.length - 1) {
            mistake = "the password is empty";
        }
        if (mistake != null) {
            throw new NotDone(
                    "standard input, line " + number + ": " + mistake + "; nothing is changed");
        }
        if (generate) {
            secrets.append(name)
                    .append('\t')
                    .append(generate(name, edit))
                    .append(System.lineSeparator());
        } else if (!delete) {
            set(name, Arrays.copyOfRange(line, colon + 1, line.length), edit);
        }
        Arrays.fill(line, (byte) 0);
    }

    private static int colon(byte[] line) {
        for (int i = 0; i < line.length; i++) {
            if (line[i] == ':') {
                return i;
            }
        }
        return -1;
    }

    private String generate(String name, UsersFileEdit edit) {
        String secret = hashes.secret();
        edit.set(
                name,
                scram
                        ? hashes.ofScram(secret.getBytes(StandardCharsets.US_ASCII))
                        : hashes.ofToken(secret));
        return secret;
    }

    private void set(String name, byte[] password, UsersFileEdit edit) {
        edit.set(name, scram ? hashes.ofScram(password) : hashes.ofPassword(password));
        Arrays.fill(password, (byte) 0);
    }

    private byte[] password() throws NotDone, IOException {
        byte[] password = console == null ? line() : asked(console);
        if (password == null || password.length == 0) {
            throw new NotDone("the password is empty; nothing is changed");
        }
        return password;
    }

    private static byte @Nullable [] asked(Console console) throws NotDone {
        char[] first = console.readPassword("Password: ");
        char[] second = first == null ? null : console.readPassword("The same again: ");
        if (first == null || second == null) {
            return null;
        }
        boolean isSame = Arrays.equals(first, second);
        ByteBuffer encoded = StandardCharsets.UTF_8.encode(CharBuffer.wrap(first));
        byte[] password = new byte[encoded.remaining()];
        encoded.get(password);
        Arrays.fill(encoded.array(), (byte) 0);
        Arrays.fill(first, '\0');
        Arrays.fill(second, '\0');
        if (!isSame) {
            throw new NotDone("the passwords differ; nothing is changed");
        }
        return password;
    }

    /** Returns the next line of standard input, without its end; null: there is none. */
    private byte @Nullable [] line() throws IOException, NotDone {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        int next = in.read();
        if (next < 0) {
            return null;
        }
        for (; next >= 0 && next != '\n'; next = in.read()) {
            line.write(next);
            if (line.size() > LINE_MAX) {
                throw new NotDone("a line of standard input is too long");
            }
        }
        byte[] bytes = line.toByteArray();
        boolean endsWithReturn = bytes.length > 0 && bytes[bytes.length - 1] == '\r';
        return endsWithReturn ? Arrays.copyOf(bytes, bytes.length - 1) : bytes;
    }
}
