package io.godwit.persistence.rocks;

import io.godwit.persistence.disk.StoreUnusable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Another Java process that opens a store, says in one line what came of it, and ends.
 *
 * @param output what it wrote
 */
record ChildProcess(int exit, String output) {
    private static final int SECONDS_MAX = 180;

    static ChildProcess opens(Path store, String... flags) throws Exception {
        return opens(store, Map.of(), flags);
    }

    static ChildProcess opens(Path store, Map<String, String> environment, String... flags)
            throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-Xshare:auto", "-Xmx64m"));
        command.addAll(List.of(flags));
        command.addAll(List.of("-cp", System.getProperty("java.class.path")));
        command.addAll(List.of(ChildProcess.class.getName(), store.toString()));
        return run(command, environment);
    }

    static ChildProcess run(List<String> command, Map<String, String> environment)
            throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        // One that never ends is a finding, not a build that hangs.
        process.onExit()
                .orTimeout(SECONDS_MAX, TimeUnit.SECONDS)
                .exceptionally(tooLate -> {
                    process.toHandle().destroyForcibly(); // Process's own would close its output.
                    return process;
                });
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new ChildProcess(process.waitFor(), output);
    }

    public static void main(String[] arguments) throws Exception {
        try (RocksDisk disk = RocksDisk.open(Path.of(arguments[0]))) {
            System.out.println("opened " + StoreFiles.prefix(disk) + " entries");
        } catch (StoreUnusable e) {
            System.out.println(e.getMessage());
        }
    }
}
