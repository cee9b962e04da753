package io.godwit.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HeapUsedUpTest {
    /** A process in which a thread that nobody watches finds no memory, while another goes on. */
    static final class Planted {
        public static void main(String[] arguments) throws InterruptedException {
            HeapUsedUp.watch();
            Thread.ofPlatform()
                    .name("planted")
                    .start(() -> {
                        throw new OutOfMemoryError("planted by the test");
                    });
            Thread.sleep(60_000);
        }
    }

    @Test
    void a_thread_that_ends_for_it_ends_the_process_with_3() throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-XX:TieredStopAtLevel=1",
                                "-cp",
                                System.getProperty("java.class.path"),
                                Planted.class.getName())
                        .redirectErrorStream(true)
                        .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isEqualTo(3);
        assertThat(output)
                .contains(
                        "out of memory in thread planted, the broker exits with code 3",
                        "planted by the test");
    }
}
