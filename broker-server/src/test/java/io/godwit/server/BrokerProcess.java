package io.godwit.server;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A broker in a JVM of its own, for what only a process can show: signals, limits, exit codes. */
public final class BrokerProcess implements AutoCloseable {
    private static final long START_SECONDS = 180;

    private final Path folder;
    private final boolean ownFolder;
    private final Process process;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Thread reader;

    private BrokerProcess(Path folder, boolean ownFolder, Process process) {
        this.folder = folder;
        this.ownFolder = ownFolder;
        this.process = process;
        this.reader = Thread.ofVirtual().start(this::read);
    }

    /** What a process is started with; unless it says otherwise in a folder that goes with it. */
    public static final class Setup {
        private @Nullable Path folder;
        private int openFiles;
        private List<String> jvmFlags = List.of("-Xmx256m");
        private final Map<String, String> environment = new HashMap<>();
        private final List<String> settings = new ArrayList<>();
        private List<String> within = List.of();

        /** Has the broker's data stand in {@code data} below this folder, which stays. */
        public Setup in(Path existing) {
            folder = existing;
            return this;
        }

        /** {@code ulimit -n}. */
        public Setup openFiles(int count) {
            openFiles = count;
            return this;
        }

        /** Memory, which the launcher would divide, and other flags. */
        public Setup jvmFlags(List<String> flags) {
            jvmFlags = flags;
            return this;
        }

        public Setup environment(Map<String, String> more) {
            environment.putAll(more);
            return this;
        }

        /** A command that becomes the one behind it, which is the broker's. */
        public Setup within(List<String> command) {
            within = command;
            return this;
        }

        /** Each as {@code key=value}. */
        public Setup set(String... assignments) {
            settings.addAll(List.of(assignments));
            return this;
        }

        /** Starts it and returns when it is ready, or has ended without becoming so. */
        public BrokerProcess start() {
            BrokerProcess broker = launch();
            broker.awaitReady();
            return broker;
        }

        /** Starts it and returns at once. */
        public BrokerProcess launch() {
            Path where = folder == null ? BrokerFixture.newFolder() : folder;
            ProcessBuilder builder = new ProcessBuilder(command(where)).redirectErrorStream(true);
            builder.environment().putAll(BrokerJvm.environment());
            builder.environment().putAll(environment);
            try {
                return new BrokerProcess(where, folder == null, builder.start());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }

        private List<String> command(Path where) {
            List<String> java = new ArrayList<>(within);
            java.addAll(BrokerJvm.command(jvmFlags));
            java.add(Main.class.getName());
            java.add("run");
            for (String set : BrokerFixture.settings(where, settings.toArray(String[]::new))) {
                java.add("--set");
                java.add(set);
            }
            if (openFiles == 0) {
                return java;
            }
            List<String> limited = new ArrayList<>(List.of("bash", "-c"));
            limited.add("ulimit -n " + openFiles + " && exec \"$0\" \"$@\"");
            limited.addAll(java);
            return limited;
        }
    }

    /** Starts one and returns when it is ready, or has ended without becoming so. */
    public static BrokerProcess start(String... overrides) {
        return new Setup().set(overrides).start();
    }

    /**
     * @param openFiles ulimit -n; 0 = as it is here
     */
    public static BrokerProcess start(int openFiles, String... overrides) {
        return new Setup().openFiles(openFiles).set(overrides).start();
    }

    /**
     * @param openFiles ulimit -n; 0 = as it is here
     * @param jvmFlags memory, which the launcher would divide
     */
    public static BrokerProcess start(int openFiles, List<String> jvmFlags, String... overrides) {
        return new Setup().openFiles(openFiles).jvmFlags(jvmFlags).set(overrides).start();
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                synchronized (lines) {
                    lines.add(line);
                    lines.notifyAll();
                }
            }
        } catch (IOException e) {
            lines.add(e.toString());
        } finally {
            synchronized (lines) {
                lines.add("(end of output)");
                lines.notifyAll();
            }
        }
    }

    /** Returns when it is ready, or has ended without becoming so. */
    public void awaitReady() {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        synchronized (lines) {
            while (lines.stream().noneMatch(BrokerProcess::ends)) {
                long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
                if (left <= 0) {
                    process.destroyForcibly();
                    throw new AssertionError("not ready in time: " + lines);
                }
                try {
                    lines.wait(left);
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        }
    }

    private static boolean ends(String line) {
        return line.contains(" is ready after ") || line.equals("(end of output)");
    }

    /** The lines that the process has written so far. */
    public List<String> output() {
        return List.copyOf(lines);
    }

    public String readyLine() {
        return lines.stream()
                .filter(line -> line.contains(" is ready after "))
                .findFirst()
                .orElseThrow(() -> new AssertionError("never ready: " + lines));
    }

    public boolean isReady() {
        return lines.stream().anyMatch(line -> line.contains(" is ready after "));
    }

    /** The port of a listener, or of {@code admin}, as the ready line says. */
    public int port(String listener) {
        return address(listener).getPort();
    }

    /** Where a listener, or {@code admin}, is bound, as the ready line says. */
    public InetSocketAddress address(String listener) {
        Matcher matcher =
                Pattern.compile("\\b" + listener + " [a-z]+ ([0-9.]+):([0-9]+)")
                        .matcher(readyLine());
        if (!matcher.find()) {
            throw new AssertionError("no listener " + listener + " in: " + readyLine());
        }
        return new InetSocketAddress(matcher.group(1), Integer.parseInt(matcher.group(2)));
    }

    public Socket connect() throws IOException {
        Socket socket = new Socket(InetAddress.getLoopbackAddress(), port("mqtt"));
        socket.setSoTimeout(60_000);
        socket.setTcpNoDelay(true);
        return socket;
    }

    public Process process() {
        return process;
    }

    public Path folder() {
        return folder;
    }

    /** Sends SIGTERM. */
    public void terminate() {
        process.toHandle().destroy(); // Process.destroy would close its output, too
    }

    /** Waits for the end. */
    public int exitCode() {
        try {
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("did not end: " + lines);
            }
            reader.join();
            return process.exitValue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        exitCode();
        if (ownFolder) {
            BrokerFixture.delete(folder);
        }
    }
}
