package io.godwit.benchmarks.load;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Several brokers under the flight recorder. */
public final class Profile implements Closeable {
    private record Recorded(String name, Jcmd jvm, Path file) {}

    private final List<Recorded> all = new ArrayList<>();

    private Profile() {}

    /**
     * @param prefix of the files' names, to which the brokers' names are added
     */
    public static Profile start(List<BrokerProcess> brokers, String prefix) throws IOException {
        Profile profile = new Profile();
        for (BrokerProcess broker : brokers) {
            Jcmd jvm =
                    Jcmd.of(broker.pid())
                            .orElseThrow(() -> new IOException("--profile needs JVMs"));
            jvm.run(
                    "JFR.start",
                    "name=rounds",
                    "settings=profile",
                    "jdk.ExecutionSample#period=10ms");
            Path file = Path.of(prefix + "-" + broker.name() + ".jfr").toAbsolutePath();
            profile.all.add(new Recorded(broker.name(), jvm, file));
        }
        return profile;
    }

    /** Ends the recordings, and prints the methods that took most. */
    public void print() throws IOException {
        for (Recorded each : all) {
            each.jvm().run("JFR.stop", "name=rounds", "filename=" + each.file());
            System.err.println(each.name() + ": " + each.file());
            System.err.println(
                    each.jvm()
                            .tool(
                                    "jfr",
                                    "view",
                                    "--width",
                                    "140",
                                    "hot-methods",
                                    "" + each.file()));
        }
        all.clear();
    }

    /** Ends recordings that nobody looks at. */
    @Override
    public void close() throws IOException {
        for (Recorded each : all) each.jvm().run("JFR.stop", "name=rounds");
    }
}
