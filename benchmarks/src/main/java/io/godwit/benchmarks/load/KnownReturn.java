package io.godwit.benchmarks.load;

import io.godwit.benchmarks.load.KnownClients.Stored;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;

/**
 * Question: how long does it take until all known clients are back when they come at one moment,
 * with TLS? Command: {@code benchmarks/scenarios/run known-return}: with passwords that the broker
 * remembers; with tokens after its restart; with Argon2id after its restart, where others, who need
 * no hash, are to get in meanwhile. Target: all are back within 1.25 ms each; p99 of the others
 * below 1 s.
 */
final class KnownReturn {
    static final String NAME = "known-return";

    /** Holds the defaults of this scenario that differ from the common ones. */
    static final Map<String, String> DEFAULTS =
            Map.of("transport", "tls", "rounds", "3", "seconds", "30");

    private static final double TARGET_MS_EACH = 1.25;
    private static final double TARGET_P99_SECONDS = 1;
    private static final double LIMIT_SECONDS = 100;
    private static final long QUIET_MS = 3_000;
    private static final String REMEMBERED = "probe-remembered";
    private static final String TOKEN = "probe-token";
    private static final String CERTIFICATE = "probe-certificate";

    private final Options options;
    private final Path folder;
    private final int clients;
    private final KeyFiles certificate;
    private final List<String> settings = new ArrayList<>();
    private final int certificatePort = BrokerProcess.freePort();

    private KnownReturn(Options options, Path folder) throws IOException {
        this.options = options;
        this.folder = folder;
        clients = options.number("connections");
        certificate = KeyFiles.make(folder, CERTIFICATE);
        KeyFiles server = KeyFiles.make(folder, "server");
        settings.add("security.users=" + users());
        settings.add("security.cache-time=1h");
        String listener = "listeners.certificates.";
        settings.add(listener + "type=tls");
        settings.add(listener + "bind=127.0.0.1:" + certificatePort);
        settings.add(listener + "tls.certificate=" + server.certificate());
        settings.add(listener + "tls.key=" + server.key());
        settings.add(listener + "tls.client-ca=" + certificate.certificate());
        settings.add(listener + "tls.identity=cn");
    }

    static void run(Options options, Path folder) throws IOException {
        Path logs = Files.createDirectories(folder.resolve(NAME));
        KnownReturn scenario = new KnownReturn(options, logs);
        BrokerProcess broker =
                Compare.subject(options, logs, "subject", scenario.settings.toArray(String[]::new));
        try {
            List<ReturningCrowd.Return> remembered = new ArrayList<>();
            ReturningCrowd.introduce(broker, Stored.PBKDF2_ONCE, scenario.clients);
            for (int i = 0; i < options.number("rounds"); i++)
                remembered.add(scenario.comeBack(broker, Stored.PBKDF2_ONCE, LIMIT_SECONDS));
            List<ReturningCrowd.Return> tokens = new ArrayList<>();
            for (int i = 0; i < options.number("rounds"); i++) {
                broker.close();
                broker = broker.again();
                tokens.add(scenario.comeBack(broker, Stored.TOKEN, LIMIT_SECONDS));
            }
            System.out.println(
                    "| known clients at once | clients | back | after s | wanted | CPU ms each |"
                            + " refused | closed | load, cores | rounds |\n"
                            + "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
            scenario.print("remembered passwords", remembered);
            scenario.print("tokens after a restart", tokens);
            broker.close();
            broker = broker.again();
            scenario.withHashes(broker);
        } finally {
            broker.close();
        }
    }

    private Path users() throws IOException {
        Stream<String> crowd =
                Stream.of(Stored.values())
                        .flatMap(stored ->
                                IntStream.range(0, clients)
                                        .mapToObj(n -> ReturningCrowd.userName(stored, n))
                                        .map(stored::line));
        Stream<String> probes =
                Stream.of(Stored.ARGON2ID.line(REMEMBERED), Stored.TOKEN.line(TOKEN));
        return Files.write(
                folder.resolve("users"), (Iterable<String>) Stream.concat(crowd, probes)::iterator);
    }

    private ReturningCrowd.Return comeBack(BrokerProcess broker, Stored stored, double seconds)
            throws IOException {
        try (ReturningCrowd crowd = new ReturningCrowd(broker, stored, clients)) {
            return crowd.comeBack(seconds);
        }
    }

    /** Clients whose passwords must be hashed come back, and others who need no hash. */
    private void withHashes(BrokerProcess broker) throws IOException {
        quietly(broker); // the password is remembered, and the broker is no longer cold
        List<DoorProbe> quiet = quietly(broker);
        List<DoorProbe> meanwhile = probes(broker);
        ReturningCrowd.Return crowd = comeBack(broker, Stored.ARGON2ID, options.number("seconds"));
        for (DoorProbe each : meanwhile) each.close();
        print("Argon2id after a restart, " + options.number("seconds") + " s", List.of(crowd));
        System.out.println(
                "\n| meanwhile | quiet, median ms | p99 | meanwhile, median | p99 | longest | wanted |"
                        + " times | failed |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |");
        for (int i = 0; i < meanwhile.size(); i++) print(quiet.get(i), meanwhile.get(i));
    }

    private List<DoorProbe> quietly(BrokerProcess broker) throws IOException {
        List<DoorProbe> probes = probes(broker);
        Filling.pause(QUIET_MS);
        for (DoorProbe each : probes) each.close();
        return probes;
    }

    private List<DoorProbe> probes(BrokerProcess broker) {
        InetSocketAddress certificates =
                new InetSocketAddress(broker.loadAddress().getAddress(), certificatePort);
        Transport shown = new Transport(Transport.Kind.TLS, false, false, certificate);
        return List.of(
                new DoorProbe(
                        REMEMBERED,
                        broker.loadAddress(),
                        broker.transport(),
                        Stored.ARGON2ID.secret()),
                new DoorProbe(
                        TOKEN, broker.loadAddress(), broker.transport(), Stored.TOKEN.secret()),
                new DoorProbe(CERTIFICATE, certificates, shown, ""));
    }

    private void print(String what, List<ReturningCrowd.Return> rounds) {
        Spread seconds = Spread.of(rounds, ReturningCrowd.Return::seconds);
        double wanted = clients * TARGET_MS_EACH / 1e3;
        System.out.printf(
                Locale.ROOT,
                "| %s | %d | %.0f | %s | <= %.2f %s | %s | %.0f | %.0f | %s | %d |%n",
                what,
                clients,
                Spread.of(rounds, r -> (double) r.back()).median(),
                seconds.text("%.2f"),
                wanted,
                seconds.median() <= wanted ? "met" : "MISSED",
                Spread.of(rounds, r -> r.cpuSeconds() * 1e3 / r.back()).text("%.2f"),
                Spread.of(rounds, r -> (double) r.refused()).median(),
                Spread.of(rounds, r -> (double) r.broken()).median(),
                Spread.of(rounds, ReturningCrowd.Return::loadBusy).text("%.2f"),
                rounds.size());
    }

    private static void print(DoorProbe quiet, DoorProbe meanwhile) throws IOException {
        Histogram before = quiet.times();
        Histogram times = meanwhile.times();
        double p99 = times.getValueAtPercentile(99) / 1e9;
        System.out.printf(
                Locale.ROOT,
                "| %s | %.1f | %.1f | %.1f | %.0f | %.0f | p99 <= 1000 %s | %d | %d |%n",
                meanwhile.name(),
                before.getValueAtPercentile(50) / 1e6,
                before.getValueAtPercentile(99) / 1e6,
                times.getValueAtPercentile(50) / 1e6,
                p99 * 1e3,
                times.getMaxValue() / 1e6,
                p99 <= TARGET_P99_SECONDS ? "met" : "MISSED",
                times.getTotalCount(),
                meanwhile.failures());
    }
}
