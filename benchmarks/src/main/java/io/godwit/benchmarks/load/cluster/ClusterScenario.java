package io.godwit.benchmarks.load.cluster;

import io.godwit.benchmarks.load.Options;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** One question about several nodes. */
interface ClusterScenario {
    String name();

    /** Options that it has beside the common ones, or with another default. */
    Map<String, String> defaults();

    /**
     * Measures, and prints rows of {@link Outcome}.
     *
     * @param folder for logs and data of the nodes
     */
    void run(Options options, Path folder) throws IOException;
}
