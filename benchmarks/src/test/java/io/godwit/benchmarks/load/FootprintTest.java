package io.godwit.benchmarks.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Looks at another JVM: one that prints a histogram of itself into a pipe that it reads itself
 * waits for ever.
 */
class FootprintTest {
    private static final int BLOCKS = 1_000;
    private static final int BLOCK_BYTES = 20_000;

    @Test
    void the_memory_of_a_jvm_is_what_lives_on_its_heap_and_what_is_resident_beside_it()
            throws Exception {
        Process jvm =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx128m",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Holder.class.getName())
                        .start();
        try {
            assertThat(jvm.getInputStream().read()).isEqualTo('1');
            Footprint before = Footprint.of(jvm.pid());
            jvm.getOutputStream().write('\n');
            jvm.getOutputStream().flush();
            assertThat(jvm.getInputStream().read()).isEqualTo('2');
            Footprint after = Footprint.of(jvm.pid());
            assertThat(after.grownSince(before).get("[B")).isBetween(19_000_000L, 22_000_000L);
            assertThat(after.liveBytes() - before.liveBytes()).isBetween(18_000_000L, 23_000_000L);
            assertThat(after.outsideBytes()).isBetween(1_000_000L, ProcFs.residentBytes(jvm.pid()));
            assertThat(after.outsideBytes() - before.outsideBytes()).isLessThan(10_000_000L);
        } finally {
            jvm.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        }
    }

    /** Keeps 20 MB from the first byte of its input on. */
    static final class Holder {
        private Holder() {}

        public static void main(String[] args) throws IOException {
            System.out.write('1');
            System.out.flush();
            System.in.read();
            byte[][] kept = new byte[BLOCKS][BLOCK_BYTES];
            System.out.write('2');
            System.out.flush();
            System.in.read();
            System.out.write(kept.length);
        }
    }
}
