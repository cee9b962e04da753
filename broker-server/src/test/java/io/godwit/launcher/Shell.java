package io.godwit.launcher;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Runs lines of bash that see the launcher's functions. */
final class Shell {
    static final Path LAUNCHER = Path.of("..", "godwit").toAbsolutePath().normalize();

    /**
     * @param output both streams, without the last line end
     */
    record Result(int exitCode, String output) {}

    private Shell() {}

    static Result withFunctions(Map<String, String> environment, String script) {
        return run(environment, "bash", "-c", "source '" + LAUNCHER + "'\n" + script);
    }

    static Result run(Map<String, String> environment, String... command) {
        ProcessBuilder builder = new ProcessBuilder(new ArrayList<>(List.of(command)));
        builder.redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("GODWIT_"));
        builder.environment().putAll(environment);
        try {
            Process process = builder.start();
            process.getOutputStream().close();
            String output =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(180, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError("still running: " + List.of(command));
            }
            return new Result(process.exitValue(), output.stripTrailing());
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
