package io.godwit.server.client;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A client command that runs in the test's process, with what it reads and prints. */
final class Typed {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();

    private Typed(Function<Streams, ClientCommand> command, String input, List<String> arguments) {
        Streams streams =
                new Streams(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        out,
                        new PrintStream(err, true, StandardCharsets.UTF_8));
        Thread.ofPlatform()
                .daemon()
                .start(() -> {
                    try {
                        exitCode.complete(command.apply(streams).execute(arguments));
                    } catch (Throwable e) {
                        exitCode.completeExceptionally(e);
                    }
                });
    }

    static Typed pub(int port, String... arguments) {
        return new Typed(PubCommand::new, "", with(port, arguments));
    }

    static Typed pubReading(String input, int port, String... arguments) {
        return new Typed(PubCommand::new, input, with(port, arguments));
    }

    static Typed sub(int port, String... arguments) {
        return new Typed(SubCommand::new, "", with(port, arguments));
    }

    private static List<String> with(int port, String... arguments) {
        List<String> all = new ArrayList<>(List.of("-h", "127.0.0.1", "-p", "" + port));
        all.addAll(List.of(arguments));
        return all;
    }

    /** Waits for the command's end. */
    int exitCode() throws Exception {
        return exitCode.get(60, TimeUnit.SECONDS);
    }

    /** Waits until it has said this on standard error. */
    Typed awaitSaid(String text) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!said().contains(text)) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError("never said: " + text + ", but: " + said());
            }
            Thread.sleep(10);
        }
        return this;
    }

    String printed() {
        return out.toString(StandardCharsets.UTF_8);
    }

    String said() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
