package io.godwit.clients;

import io.godwit.loopback.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The installed Mosquitto with a configuration of the test's: a bridge, or a second opinion. */
final class MosquittoBroker implements AutoCloseable {
    private static final String HOW_TO_GET = "apt-get install mosquitto";

    private final ProgramRun run;

    private MosquittoBroker(ProgramRun run) {
        this.run = run;
    }

    /**
     * @param port one of those that the configuration listens on
     */
    static MosquittoBroker start(int port, List<String> configuration) {
        try {
            Path file = Files.createTempFile("mosquitto", ".conf");
            file.toFile().deleteOnExit();
            List<String> all = new ArrayList<>(configuration);
            all.addFirst("persistence false");
            all.addFirst("per_listener_settings false");
            Files.write(file, all);
            String program = Tool.require("mosquitto", HOW_TO_GET);
            ProgramRun run = ProgramRun.start(List.of(program, "-v", "-c", file.toString()));
            try {
                Ports.awaitListening(port, run.process(), Duration.ofSeconds(60));
            } catch (RuntimeException e) {
                run.close();
                throw new IllegalStateException(run.toString(), e);
            }
            return new MosquittoBroker(run);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Plain and TLS listeners; Debian's Mosquitto speaks no WebSocket. */
    static BrokerUnderTest startForClients() {
        try {
            Path folder = Files.createTempDirectory("mosquitto");
            TlsFiles files = TlsFiles.in(folder);
            int tcp = FreePorts.next();
            int tls = FreePorts.next();
            MosquittoBroker broker =
                    start(
                            tcp,
                            List.of(
                                    "allow_anonymous true",
                                    "user root",
                                    "max_queued_messages 0",
                                    "listener " + tcp + " 127.0.0.1",
                                    "listener " + tls + " 127.0.0.1",
                                    "certfile " + files.certificate(),
                                    "keyfile " + files.key()));
            Runtime.getRuntime().addShutdownHook(new Thread(broker::close));
            return new BrokerUnderTest(
                    "127.0.0.1", Map.of(Transport.TCP, tcp, Transport.TLS, tls), files.authority());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ProgramRun run() {
        return run;
    }

    @Override
    public void close() {
        run.close();
    }
}
