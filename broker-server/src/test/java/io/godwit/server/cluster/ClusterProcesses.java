package io.godwit.server.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.godwit.loopback.FreePorts;
import io.godwit.server.BrokerJvm;
import io.godwit.server.BrokerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLConnection;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Brokers that know each other's addresses, on loopback or in a network of their own, numbered from
 * 1. One that is lost for ever can be replaced by another one, which has the next number.
 */
public final class ClusterProcesses implements AutoCloseable {
    /** Flags of the brokers' JVMs; {@code -Dcluster.jvm-flags} has others, for measurements. */
    private static final List<String> JVM_FLAGS =
            Optional.ofNullable(System.getProperty("cluster.jvm-flags"))
                    .map(flags -> List.of(flags.split(" ")))
                    .orElse(BrokerJvm.QUICK);

    private static final String NO_FAILOVER = "cluster.failover-timeout=never";

    /** Of nodes that are not on loopback, where commands need it. */
    private static final String TOKEN = "0123456789abcdef-cluster";

    private static final Duration FORGET_LIMIT = Duration.ofSeconds(30);

    private final Path folder;

    /** Of the node with number 1 first, also of those that were replaced. */
    private final List<Integer> ports;

    private final List<String> settings;
    private final @Nullable NodeNetwork network;

    /** Holds the process of each node that was started, by number. */
    private final SortedMap<Integer, BrokerProcess> processes = new TreeMap<>();

    /** Holds the numbers of the nodes that are there, or are to be. */
    private final SortedSet<Integer> members = new TreeSet<>();

    /** Holds variables of the environment of nodes that are started, by node. */
    private final Map<Integer, Map<String, String>> environments = new HashMap<>();

    /**
     * On loopback.
     *
     * @param settings of all nodes, as {@code key=value}
     */
    public ClusterProcesses(int count, String... settings) {
        this(null, count, settings);
    }

    /**
     * @param network where they are, which ends with them; null for loopback
     * @param settings of all nodes, as {@code key=value}
     */
    public ClusterProcesses(@Nullable NodeNetwork network, int count, String... settings) {
        this.network = network;
        try {
            folder = Files.createTempDirectory("godwit-cluster");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        ports = new ArrayList<>(FreePorts.next(count));
        this.settings = List.of(settings);
        IntStream.rangeClosed(1, count).forEach(members::add);
    }

    /** Whether a node that is stopped hands over what it has. */
    public boolean drains() {
        return !settings.contains("cluster.drain=false");
    }

    /** Whether nodes take over the sessions of others, and have copies of them. */
    public boolean takesOver() {
        return !settings.contains("cluster.copies=1") && !settings.contains(NO_FAILOVER);
    }

    public int count() {
        return members.size();
    }

    /**
     * Has another node in the place of one that is lost for ever: with the next number, an address
     * of its own and an empty disk. It is not started yet.
     *
     * @return its number
     */
    public int replace(int lost) {
        remove(lost);
        return add();
    }

    /** Has a node not be there any more: it has ended, or is about to. */
    public void remove(int node) {
        if (!members.remove(node)) {
            throw new IllegalArgumentException("node " + node + " is not there");
        }
    }

    /** Has one more node, as {@link #replace} does. */
    public int add() {
        ports.addAll(FreePorts.next(1));
        int number = ports.size();
        if (network != null) {
            network.add();
        }
        members.add(number);
        return number;
    }

    /** Returns the name of a node. */
    public static String name(int node) {
        return "n" + node;
    }

    /** Of one node: its data stands in {@code data} below. */
    Path folder(int node) {
        return folder.resolve(name(node));
    }

    /** Returns the folder of a node's data. */
    public Path data(int node) {
        return folder(node).resolve("data");
    }

    /** Returns a folder for what a test keeps beside the nodes' data; it goes with them. */
    public Path scratch(String name) {
        try {
            return Files.createDirectories(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Adds variables to the environment in which a node is started from now on. */
    public void environment(int node, Map<String, String> more) {
        environments.computeIfAbsent(node, any -> new HashMap<>()).putAll(more);
    }

    int clusterPort(int node) {
        return ports.get(node - 1);
    }

    String seeds() {
        return members.stream().map(this::clusterAddress).collect(Collectors.joining(","));
    }

    private String clusterAddress(int node) {
        return host(node) + ":" + clusterPort(node);
    }

    private String host(int node) {
        return network == null ? "127.0.0.1" : network.address(node);
    }

    /** Where links can be cut; null on loopback. */
    public @Nullable NodeNetwork network() {
        return network;
    }

    /** Starts a node, does not wait for it. */
    public BrokerProcess launch(int node, String... more) {
        List<String> sets =
                new ArrayList<>(
                        List.of(
                                "node.name=" + name(node),
                                "log.level=info",
                                "cluster.enabled=true",
                                "cluster.bind=" + clusterAddress(node),
                                "cluster.seeds=" + seeds(),
                                "cluster.peer-timeout=3s",
                                "cluster.failure-timeout=2s",
                                "cluster.merge-interval=1s"));
        if (network != null) {
            String anyPort = host(node) + ":0";
            sets.add("listeners.mqtt.bind=" + anyPort);
            sets.add("listeners.ws.bind=" + anyPort);
            sets.add("admin.bind=" + anyPort);
            sets.add("admin.token=" + TOKEN);
            sets.add("security.anonymous=everyone");
            sets.add("cluster.insecure=true");
        }
        sets.addAll(settings);
        sets.addAll(List.of(more));
        BrokerProcess process =
                new BrokerProcess.Setup()
                        .within(network == null ? List.of() : network.within(node))
                        .in(folder(node))
                        .environment(environments.getOrDefault(node, Map.of()))
                        .jvmFlags(JVM_FLAGS)
                        .set(sets.toArray(String[]::new))
                        .launch();
        processes.put(node, process);
        return process;
    }

    /** Starts a node and waits until it is ready. */
    BrokerProcess start(int node, String... more) {
        BrokerProcess process = launch(node, more);
        process.awaitReady();
        process.readyLine();
        return process;
    }

    /** Starts all at once and waits until each is ready. */
    void startAll() {
        members.forEach(this::launch);
        for (int each : members) {
            node(each).awaitReady();
            node(each).readyLine();
        }
    }

    public BrokerProcess node(int node) {
        BrokerProcess process = processes.get(node);
        if (process == null) {
            throw new IllegalStateException("node " + node + " was never started");
        }
        return process;
    }

    /** Client ids of the sessions that a node serves; not more than 1 000. */
    public Set<String> served(int node) {
        Set<String> ids = new LinkedHashSet<>();
        for (JsonNode each : json(node, "/clients?size=1000").get("clients")) {
            ids.add(each.get("clientId").asText());
        }
        return ids;
    }

    /** What a page of its admin port says. */
    public String page(int node, String path) {
        try {
            URLConnection connection = uri(node, path).toURL().openConnection();
            if (network != null) {
                connection.setRequestProperty("Authorization", "Bearer " + TOKEN);
            }
            try (var in = connection.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(story(), e);
        }
    }

    /**
     * Asks the admin port of a node as a command does.
     *
     * @return status and body
     */
    String ask(int node, String method, String path) {
        HttpRequest request =
                HttpRequest.newBuilder(uri(node, path))
                        .header("Godwit-Command", "kick")
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build();
        try {
            HttpResponse<String> answer =
                    HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() + " " + answer.body();
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(story(), e);
        }
    }

    private URI uri(int node, String path) {
        return URI.create("http://" + host(node) + ":" + node(node).port("admin") + path);
    }

    /** {@code /cluster} of a node. */
    JsonNode status(int node) {
        return json(node, "/cluster");
    }

    JsonNode json(int node, String path) {
        try {
            return JsonMapper.builder().build().readTree(page(node, path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Names of the members that a node reaches, itself too. */
    Set<String> live(int node) {
        Set<String> names = new LinkedHashSet<>();
        for (JsonNode each : status(node).get("members")) {
            if (each.get("live").asBoolean()) {
                names.add(each.get("name").asText());
            }
        }
        return names;
    }

    /** Whether all nodes have links to all others. */
    public boolean hearEachOther() {
        return members.stream().allMatch(each -> live(each).size() == count());
    }

    /** Whether any of these nodes hears the one that has the name. */
    public boolean isHeard(String name, Collection<Integer> at) {
        return at.stream().anyMatch(each -> live(each).contains(name));
    }

    /** Whether each node says that its copies are whole, and all nodes hear each other. */
    public boolean areCopiesWhole() {
        return hearEachOther()
                && members.stream()
                        .allMatch(each -> status(each).get("copies").get("whole").asBoolean());
    }

    /** Whether each of these nodes hears a leader of every slot. */
    public boolean areAllSlotsLed(Collection<Integer> at) {
        for (int each : at) {
            JsonNode slots = status(each).get("slots");
            if (slots.get("offline").asInt() > 0 || slots.get("unknown").asInt() > 0) {
                return false;
            }
        }
        return true;
    }

    /** Returns the server id of a node. */
    public int server(int node) {
        for (JsonNode each : status(node).get("members")) {
            if (each.get("self").asBoolean()) {
                return each.get("server").asInt();
            }
        }
        throw new IllegalStateException("node " + node + " does not list itself" + story());
    }

    /**
     * Has a member forgotten, as {@code godwit cluster forget NODE --yes} does.
     *
     * @param at the node that is asked
     * @param member its name or server id
     * @return completes with why it can't be done, or with an empty text when it is done
     */
    public CompletableFuture<String> forget(int at, String member) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(uri(at, "/cluster/forget?node=" + member))
                        .timeout(FORGET_LIMIT)
                        .header("Godwit-Command", "forget")
                        .POST(HttpRequest.BodyPublishers.noBody());
        if (network != null) {
            request.header("Authorization", "Bearer " + TOKEN);
        }
        return HttpClient.newHttpClient()
                .sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
                .handle((answer, failure) -> {
                    if (failure != null) {
                        return failure.toString();
                    }
                    return answer.statusCode() == 200 ? "" : answer.body().strip();
                });
    }

    /**
     * Returns what nodes say is not as it should be: their alarms, and copies that are missing
     * although enough nodes are there. Empty when nothing is.
     */
    public String alarms() {
        StringBuilder all = new StringBuilder();
        for (int i : members) {
            try {
                boolean areEnough = status(i).get("copies").get("wanted").asInt() <= count();
                JsonNode ready = json(i, "/health/ready");
                for (JsonNode each : ready.withArrayProperty("alarms")) {
                    if (areEnough || !each.asText().equals("copies")) {
                        all.append(" n").append(i).append(": ").append(each.asText());
                    }
                }
            } catch (UncheckedIOException e) {
                all.append(" n").append(i).append(": not ready");
            }
        }
        return all.toString();
    }

    /** Waits until all of these see so many live members. */
    void awaitLive(int count, Duration limit, int... nodes) {
        await(
                count + " live nodes",
                limit,
                () -> IntStream.of(nodes).allMatch(each -> live(each).size() == count));
    }

    /** Waits until a node has said a line that has this in it. */
    void awaitLine(int node, Duration limit, String regex) {
        await(
                "n" + node + " says " + regex,
                limit,
                () ->
                        node(node).output().stream()
                                .anyMatch(line -> line.matches(".*" + regex + ".*")));
    }

    /**
     * Waits; fails with what all nodes have said. Without a library: {@code ./godwit chaos} has
     * none of those for tests.
     */
    void await(String what, Duration limit, Callable<Boolean> until) {
        long beganNanos = System.nanoTime();
        try {
            while (!until.call()) {
                if (System.nanoTime() - beganNanos > limit.toNanos()) {
                    throw new AssertionError(what + ": not within " + limit + story());
                }
                Thread.sleep(50);
            }
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new AssertionError(what + story(), e);
        }
    }

    /** SIGSTOP, SIGCONT. */
    public void signal(int node, String name) {
        try {
            int exit =
                    new ProcessBuilder("kill", "-" + name, "" + node(node).process().pid())
                            .inheritIO()
                            .start()
                            .waitFor();
            if (exit != 0) {
                throw new AssertionError("kill -" + name + ": exit code " + exit);
            }
        } catch (IOException | InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** kill -9, gone when this returns. */
    public void kill(int node) {
        node(node).process().destroyForcibly();
        node(node).exitCode();
    }

    /** kill -9, and its disk is lost. */
    public void lose(int node) {
        kill(node);
        delete(folder(node).resolve("data"));
    }

    private static void delete(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What all of them have said. */
    public String story() {
        StringBuilder story = new StringBuilder();
        processes.forEach((number, process) -> {
            story.append("\n--- ").append(name(number)).append('\n');
            story.append(String.join("\n", process.output()));
        });
        return story.toString();
    }

    @Override
    public void close() {
        processes.values().forEach(BrokerProcess::close);
        if (network != null) {
            network.close();
        }
        delete(folder);
    }
}
