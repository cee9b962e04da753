package io.godwit.server.launch;

import io.godwit.server.config.FewKeys;
import io.godwit.server.config.MemoryKey;
import io.godwit.server.logging.StartErrors;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Says with which flags the JVM of {@code godwit run} is to start, one per line, and which class
 * cache it is to use: the launcher starts this first, since a JVM can't change its own size. Exit
 * codes as those of {@code run}.
 */
public final class JvmFlags {
    /**
     * Of the heap. G1 gives back what is beyond that after each concurrent cycle, and takes the
     * rest for so full that it begins the next one at once: with 70, its default, a node that
     * floods another one spends three times as long in the collector.
     */
    private static final int FREE_PERCENT_MAX = 95;

    private static final String CLUSTER = "cluster.enabled";

    private JvmFlags() {}

    public static void main(String[] arguments) {
        int exitCode = 0;
        RunArguments run = null;
        try {
            run = RunArguments.parse(Arrays.asList(arguments));
            List<String> flags = of(run, System.getenv(), MemoryLimit.OF_THIS_PROCESS);
            System.out.println(String.join("\n", flags));
        } catch (RunArguments.Wrong wrong) {
            System.err.println("godwit: " + wrong.getMessage());
            exitCode = 2;
        } catch (MemoryDivision.TooLittle little) {
            print(run, String.valueOf(little.getMessage()));
            exitCode = 1;
        }
        System.exit(exitCode);
    }

    private static void print(@Nullable RunArguments run, String sentence) {
        if (run == null || run.check()) {
            System.err.println(sentence);
            return;
        }
        Map<String, String> environment = System.getenv();
        StartErrors.of(run.configFile(environment), environment, run.sets()).print(sentence);
    }

    static List<String> of(RunArguments run, Map<String, String> environment, MemoryLimit limit)
            throws MemoryDivision.TooLittle {
        Map<String, String> keys =
                FewKeys.texts(
                        Set.of(MemoryKey.NAME, CLUSTER),
                        run.configFile(environment),
                        environment,
                        run.sets());
        MemoryDivision memory = MemoryDivision.of(MemoryKey.bytes(keys), limit);
        boolean isCluster = Boolean.parseBoolean(keys.get(CLUSTER));
        return List.of(
                "-Xmx" + (memory.heapBytes() >> 20) + "m",
                "-XX:MaxHeapFreeRatio=" + FREE_PERCENT_MAX,
                "-XX:MaxDirectMemorySize=" + (memory.directBytes() >> 20) + "m",
                "-Dio.netty.maxDirectMemory=" + memory.directBytes(),
                "-Dgodwit.memory.store=" + memory.storeBytes(),
                "-Dgodwit.memory=" + memory,
                "-Dgodwit.cache=" + (isCluster ? "cluster" : "godwit"));
    }
}
