package io.godwit.server.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes with addresses of their own, in network namespaces of Linux behind one bridge, on which the
 * test has a leg, too. Each way of a link between two nodes can be cut by itself; nobody is told,
 * and the test still reaches all nodes. Needs root and {@code ip}.
 *
 * <p>A cut is an entry in a node's table of neighbours: what goes to the other one goes to a
 * hardware address that nobody has. All entries are made here, so that none is ever asked for.
 */
public final class NodeNetwork implements AutoCloseable {
    /** Networks that may be there at once on a machine, one of many processes each. */
    private static final int NETWORKS = 256;

    /** Not of nodes: the test's own leg, and an address of nobody. */
    private static final int TEST = 254;

    private static final int NOBODY = 255;

    private final int network;
    private int count;
    private final FileChannel lockFile;

    private NodeNetwork(int network, int count, FileChannel lockFile) {
        this.network = network;
        this.count = count;
        this.lockFile = lockFile;
    }

    /**
     * @return null when this machine lets us make one, else why not
     */
    public static @Nullable String problem() {
        try (NodeNetwork tried = of(1)) {
            return null;
        } catch (IllegalStateException e) {
            return "network namespaces can't be made here (root is needed): " + e.getMessage();
        }
    }

    /**
     * @throws IllegalStateException when the machine does not let us make it
     */
    public static NodeNetwork of(int nodes) {
        for (int number = 0; number < NETWORKS; number++) {
            FileChannel lockFile = lock(number);
            if (lockFile != null) {
                NodeNetwork made = new NodeNetwork(number, nodes, lockFile);
                boolean done = false;
                try {
                    made.remove(); // what a process has left that was killed
                    made.make();
                    done = true;
                    return made;
                } finally {
                    if (!done) {
                        made.close();
                    }
                }
            }
        }
        throw new IllegalStateException("all " + NETWORKS + " networks are in use");
    }

    /** Null when somebody has this number; it is given back with the process at the latest. */
    private static @Nullable FileChannel lock(int number) {
        Path file =
                Path.of(System.getProperty("java.io.tmpdir"), "godwit-network-" + number + ".lock");
        try {
            FileChannel channel =
                    FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            FileLock lock;
            try {
                lock = channel.tryLock();
            } catch (OverlappingFileLockException e) {
                lock = null;
            }
            if (lock == null) {
                channel.close();
                return null;
            }
            return channel;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of nodes from 1 on. */
    public String address(int node) {
        return "198.18." + network + "." + node;
    }

    private String hardware(int node) {
        return "02:67:%02x:00:00:%02x".formatted(network, node);
    }

    private String space(int node) {
        return "godwit" + network + "n" + node;
    }

    private String bridgeSpace() {
        return "godwit" + network + "bridge";
    }

    private String ownLeg() {
        return "godwit" + network;
    }

    /** What becomes the command behind it, in the namespace of a node. */
    List<String> within(int node) {
        return List.of("ip", "netns", "exec", space(node));
    }

    /** From now on nothing that one node sends to the other arrives. */
    public void cut(int from, int to) {
        neighbour(from, to, NOBODY);
    }

    public void heal(int from, int to) {
        neighbour(from, to, to);
    }

    private void neighbour(int of, int node, int hardware) {
        ip(
                "-n %s neigh replace %s lladdr %s nud permanent dev eth0",
                space(of), address(node), hardware(hardware));
    }

    private void make() {
        String bridge = bridgeSpace();
        ip("netns add %s", bridge);
        ip("-n %s link add br0 type bridge", bridge);
        ip("-n %s link set br0 up", bridge);
        for (int node = 1; node <= count; node++) {
            make(node);
        }
        ip(
                "link add %s address %s type veth peer name p%d netns %s",
                ownLeg(), hardware(TEST), TEST, bridge);
        ip("-n %s link set p%d master br0 up", bridge, TEST);
        ip("addr add %s/24 dev %s", address(TEST), ownLeg());
        ip("link set %s up", ownLeg());
        for (int from = 1; from <= count; from++) {
            for (int to = 1; to <= count; to++) {
                if (from != to) {
                    heal(from, to);
                }
            }
        }
    }

    private void make(int node) {
        String bridge = bridgeSpace();
        String space = space(node);
        ip("netns add %s", space);
        ip(
                "-n %s link add eth0 address %s type veth peer name p%d netns %s",
                space, hardware(node), node, bridge);
        ip("-n %s link set p%d master br0 up", bridge, node);
        ip("-n %s addr add %s/24 dev eth0", space, address(node));
        ip("-n %s link set eth0 up", space);
        ip("-n %s link set lo up", space);
    }

    /** Adds a place for one more node, with the next number. */
    void add() {
        int added = count + 1;
        if (added >= TEST) {
            throw new IllegalStateException("a network has no room for node " + added);
        }
        make(added);
        for (int other = 1; other <= count; other++) {
            heal(other, added);
            heal(added, other);
        }
        count = added;
    }

    /**
     * The test's leg first: it would also go with the namespace of its other end, but at some time
     * later.
     */
    private void remove() {
        if (Files.exists(Path.of("/sys/class/net", ownLeg()))) {
            ip("link delete %s", ownLeg());
        }
        for (String line : ip("netns list").lines().toList()) {
            String space = line.split(" ", 2)[0];
            if (space.matches("godwit" + network + "(bridge|n[0-9]+)")) {
                ip("netns delete %s", space);
            }
        }
    }

    @Override
    public void close() {
        try {
            remove();
        } finally {
            try {
                lockFile.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static String ip(String format, Object... arguments) {
        List<String> command = new ArrayList<>(List.of("ip"));
        command.addAll(List.of(format.formatted(arguments).split(" ", -1)));
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            String said =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) {
                throw new IllegalStateException(String.join(" ", command) + ": " + said.strip());
            }
            return said;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
