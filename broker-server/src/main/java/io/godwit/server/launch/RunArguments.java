package io.godwit.server.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of {@code godwit run}. Read by hand: a library that reads them by reflection takes
 * a third of a second of every start.
 *
 * @param config as named; null = not named
 * @param sets {@code key=value}, in their order
 */
public record RunArguments(
        @Nullable Path config, List<String> sets, boolean check, boolean verbose, boolean help) {
    public static final String USAGE =
            """
            Usage: godwit run [--config FILE] [--set key=value ...] [--check] [--verbose]
              --config FILE     the configuration, instead of GODWIT_CONFIG and conf/godwit.yaml
              --set key=value   overrides a key of the configuration; may be repeated
              --check           only checks the configuration, and that its files, folder and
                                ports can be used: exit code 0 or 1
              --verbose         shows the JVM, its flags and how memory is divided
            """;

    public static final String CONFIG_USAGE =
            """
            Usage: godwit config [--config FILE] [--set key=value ...]
            Prints every key with the value that a start would use, and where it comes from.
              --config FILE     the configuration, instead of GODWIT_CONFIG and conf/godwit.yaml
              --set key=value   overrides a key of the configuration; may be repeated
            """;

    public RunArguments {
        sets = List.copyOf(sets);
    }

    /** An argument that is none; the message is a sentence for the operator. */
    public static final class Wrong extends Exception {
        private static final long serialVersionUID = 1L;

        Wrong(String message) {
            super(message);
        }
    }

    /**
     * @param arguments those behind {@code run}
     */
    public static RunArguments parse(List<String> arguments) throws Wrong {
        return parse("run", arguments);
    }

    /**
     * Reads the arguments of a command that takes those of {@code run}.
     *
     * @param command its name, for a message
     */
    public static RunArguments parse(String command, List<String> arguments) throws Wrong {
        Path config = null;
        List<String> sets = new ArrayList<>();
        boolean check = false;
        boolean verbose = false;
        boolean help = false;
        Iterator<String> all = arguments.iterator();
        while (all.hasNext()) {
            String argument = all.next();
            int equals = argument.startsWith("--") ? argument.indexOf('=') : -1;
            String name = equals < 0 ? argument : argument.substring(0, equals);
            String value = equals < 0 ? null : argument.substring(equals + 1);
            switch (name) {
                case "--config" -> config = Path.of(value(name, "FILE", value, all));
                case "--set" -> sets.add(value(name, "key=value", value, all));
                case "--check" -> check = flag(name, value);
                case "--verbose" -> verbose = flag(name, value);
                case "--help", "-h" -> help = flag(name, value);
                default ->
                        throw new Wrong(
                                "there is no "
                                        + (argument.startsWith("-") ? "option " : "argument ")
                                        + name
                                        + " of "
                                        + command
                                        + "; godwit "
                                        + command
                                        + " --help names them");
            }
        }
        return new RunArguments(config, sets, check, verbose, help);
    }

    private static String value(
            String name, String what, @Nullable String given, Iterator<String> rest) throws Wrong {
        String value = given;
        if (value == null && rest.hasNext()) {
            value = rest.next();
        }
        // What looks like the next option is one: somebody forgot the value.
        if (value == null || value.isEmpty() || given == null && value.startsWith("--")) {
            throw new Wrong(name + " needs a value: " + name + " " + what);
        }
        return value;
    }

    private static boolean flag(String name, @Nullable String value) throws Wrong {
        if (value != null) {
            throw new Wrong(name + " takes no value");
        }
        return true;
    }

    /** The file that counts: as named, else as {@link #defaultConfig}. */
    public @Nullable Path configFile(Map<String, String> environment) {
        return config != null ? config : defaultConfig(environment);
    }

    /**
     * {@code GODWIT_CONFIG}, else the launcher's {@code conf/godwit.yaml}.
     *
     * @return null without a launcher: every key has its default
     */
    public static @Nullable Path defaultConfig(Map<String, String> environment) {
        String named = environment.getOrDefault("GODWIT_CONFIG", "");
        String home = System.getProperty("godwit.home");
        if (!named.isEmpty()) {
            return Path.of(named);
        }
        return home == null ? null : Path.of(home, "conf", "godwit.yaml");
    }
}
