package io.godwit.server.listener;

import io.godwit.clients.ProgramRun;
import io.godwit.clients.Tool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;

/** An installed proxy with a configuration of the test's. */
final class ProxyProgram implements AutoCloseable {
    private static final Path NGINX_STREAMS =
            Path.of("/usr/lib/nginx/modules/ngx_stream_module.so");

    private final ProgramRun run;

    private ProxyProgram(ProgramRun run) {
        this.run = run;
    }

    /**
     * Starts HAProxy and waits until it listens.
     *
     * @param port one of those that the sections listen on
     */
    static ProxyProgram haproxy(Path folder, int port, String sections) throws IOException {
        String program = Tool.require("haproxy", "apt-get install haproxy");
        Path file =
                Files.writeString(
                        folder.resolve("haproxy.cfg"),
                        """
                        defaults
                          mode tcp
                          timeout connect 30s
                          timeout client 60s
                          timeout server 60s
                          timeout check 30s
                        """
                                + sections);
        return started(
                ProgramRun.start(folder, List.of(program, "-db", "-f", file.toString())), port);
    }

    /**
     * Starts nginx and waits until it listens.
     *
     * @param port one of those that the blocks listen on
     * @param stream what stands in the block {@code stream}
     * @param http what stands in the block {@code http}
     */
    static ProxyProgram nginx(Path folder, int port, String stream, String http)
            throws IOException {
        String program = Tool.require("nginx", "apt-get install nginx-light libnginx-mod-stream");
        String module = Files.exists(NGINX_STREAMS) ? "load_module " + NGINX_STREAMS + ";\n" : "";
        StringBuilder temporary = new StringBuilder();
        for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
            temporary.append(kind + "_temp_path " + folder.resolve(kind) + ";\n");
        }
        Path file =
                Files.writeString(
                        folder.resolve("nginx.conf"),
                        module
                                + "daemon off;\nmaster_process off;\nerror_log stderr;\npid "
                                + folder.resolve("pid")
                                + ";\nevents {}\nstream {\n"
                                + stream
                                + "}\nhttp {\naccess_log off;\n"
                                + temporary
                                + http
                                + "}\n");
        return started(
                ProgramRun.start(
                        folder,
                        List.of(
                                program,
                                "-p",
                                folder.toString(),
                                "-e",
                                "stderr",
                                "-c",
                                file.toString())),
                port);
    }

    private static ProxyProgram started(ProgramRun run, int port) {
        try {
            Awaitility.await("a proxy on port " + port)
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> listens(port));
        } catch (RuntimeException late) {
            run.close();
            throw new IllegalStateException(run.toString(), late);
        }
        return new ProxyProgram(run);
    }

    private static boolean listens(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    @Override
    public void close() {
        run.close();
    }

    @Override
    public String toString() {
        return run.toString();
    }
}
