package io.godwit.benchmarks.load;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The tools of the JDK, put to another process. */
public final class Jcmd {
    private final Path bin;
    private final long pid;

    private Jcmd(Path bin, long pid) {
        this.bin = bin;
        this.pid = pid;
    }

    /** Empty when the process is no JVM. */
    public static Optional<Jcmd> of(long pid) throws IOException {
        Path binary = Path.of("/proc", Long.toString(pid), "exe").toRealPath();
        if (!binary.endsWith("java")) return Optional.empty();
        Path bin = binary.resolveSibling("jcmd");
        return Optional.of(new Jcmd(Files.exists(bin) ? bin.resolveSibling("") : own(), pid));
    }

    /** What jcmd prints for one command with its arguments. */
    public String run(String... command) throws IOException {
        List<String> line = new ArrayList<>(List.of(Long.toString(pid)));
        line.addAll(List.of(command));
        return output("jcmd", line);
    }

    /** What another tool prints. */
    public String tool(String name, String... arguments) throws IOException {
        return output(name, List.of(arguments));
    }

    private String output(String name, List<String> arguments) throws IOException {
        List<String> line = new ArrayList<>(List.of(bin.resolve(name).toString()));
        line.addAll(arguments);
        Process process = new ProcessBuilder(line).redirectErrorStream(true).start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }

    private static Path own() {
        return Path.of(System.getProperty("java.home"), "bin");
    }
}
