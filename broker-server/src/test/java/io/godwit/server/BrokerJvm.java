package io.godwit.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The JVM that brokers under test run in: with the flags, the class path and the class cache that
 * the launcher of the built program gives it, so that a start costs a third of the processor time.
 * Without a built program, as in an IDE, it is a plain one.
 */
public final class BrokerJvm {
    /** Quick to start, which matters more than the speed that it would reach later. */
    public static final List<String> QUICK =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

    /** Prints flags and class path, makes the class cache before if there is none for this JDK. */
    private static final String ASK_LAUNCHER =
            """
            source "$1"
            java_homes() { echo "$JAVA_HOME"; }
            locate
            find_java java
            cache_fits || make_class_cache >&2 || true
            jvm_flags
            use_cache godwit
            flags+=(${cached[@]+"${cached[@]}"})
            native_memory
            env | grep '^MALLOC_'
            printf '%s\\n' "${flags[@]}" "-Djava.library.path=$program/native" "$(class_path)"
            """;

    private static final String JAVA_HOME = System.getProperty("java.home");

    private static final BrokerJvm HERE = find();

    private final Map<String, String> environment = new HashMap<>();
    private final List<String> flags = new ArrayList<>();
    private final String classPath;

    /**
     * @param lines variables of the environment, and flags
     */
    private BrokerJvm(List<String> lines, String classPath) {
        for (String line : lines) {
            String[] variable = line.split("=", 2);
            if (line.startsWith("MALLOC_")) {
                environment.put(variable[0], variable[1]);
            } else {
                flags.add(line);
            }
        }
        this.classPath = classPath;
    }

    /**
     * The command line of a broker, up to the name of its class.
     *
     * @param own flags; a collector among them replaces the launcher's
     */
    static List<String> command(List<String> own) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(JAVA_HOME, "bin", "java").toString());
        boolean ownCollector = own.stream().anyMatch(BrokerJvm::isCollector);
        for (String flag : HERE.flags) {
            if (!ownCollector || !isCollector(flag)) {
                command.add(flag);
            }
        }
        command.addAll(own);
        command.add("-cp");
        command.add(HERE.classPath);
        return command;
    }

    /** What the launcher sets for the native memory of a broker. */
    static Map<String, String> environment() {
        return HERE.environment;
    }

    private static boolean isCollector(String flag) {
        return flag.matches("-XX:\\+Use[A-Za-z0-9]+GC");
    }

    private static BrokerJvm find() {
        Path jar = jar();
        Path folder = Objects.requireNonNull(jar.getParent());
        Path program =
                folder.endsWith("lib")
                        ? Objects.requireNonNull(folder.getParent())
                        : folder.resolve("godwit-" + Version.current());
        Path launcher = program.resolve("godwit");
        if (Files.isRegularFile(jar) && Files.exists(launcher)) {
            List<String> lines = ask(launcher);
            int last = lines.size() - 1;
            return new BrokerJvm(lines.subList(0, last), lines.get(last));
        }
        List<String> flags = new ArrayList<>(List.of("--enable-native-access=ALL-UNNAMED"));
        if (Runtime.version().feature() >= 23) {
            flags.add("--sun-misc-unsafe-memory-access=allow");
        }
        return new BrokerJvm(flags, System.getProperty("java.class.path"));
    }

    /** Where the program's classes are; a folder when they are in no jar. */
    private static Path jar() {
        try {
            return Path.of(Main.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static List<String> ask(Path launcher) {
        ProcessBuilder builder =
                new ProcessBuilder("bash", "-c", ASK_LAUNCHER, "bash", launcher.toString())
                        .redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
        builder.environment().put("JAVA_HOME", JAVA_HOME);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int exitCode = process.waitFor();
            if (exitCode != 0) {
                throw new AssertionError("the launcher ended with " + exitCode + ": " + said);
            }
            return said.lines().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
