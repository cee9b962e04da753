package io.godwit.cluster.jgroups;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.cluster.tls.CertificateMaker;
import io.godwit.loopback.FreePorts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("alone")
class MutualTlsTest {
    private static final Duration SOON = Duration.ofSeconds(60);

    @TempDir Path folder;

    @Test
    void certificates_of_one_ca_come_together_and_one_of_another_is_refused_on_both_sides()
            throws Exception {
        CertificateMaker ours = new CertificateMaker(folder.resolve("ours"), 2);
        CertificateMaker others = new CertificateMaker(folder.resolve("others"), 2);
        List<Integer> ports = FreePorts.next(3);
        try (TestNode first = TestNode.plan(1, ports).tls(ours.make("n1", List.of())).begin();
                TestNode second = TestNode.plan(2, ports).tls(ours.make("n2", List.of())).begin()) {
            TestNode.await("two live nodes", SOON, () -> first.live() == 2 && second.live() == 2);
            assertThat(first.say(2, "secret")).isTrue();
            TestNode.await("the text", SOON, () -> second.heard.contains("secret"));

            try (TestNode stranger =
                    TestNode.plan(3, ports).tls(others.make("n3", List.of())).begin()) {
                TestNode.await(
                        "refusals on both sides",
                        SOON,
                        () ->
                                stranger.transport.certificatesRefused() > 0
                                        && first.transport.certificatesRefused()
                                                        + second.transport.certificatesRefused()
                                                > 0);
                assertThat(stranger.live()).isEqualTo(1);
            }
            assertThat(first.live()).isEqualTo(2);

            try (TestNode plain = TestNode.plan(3, ports).begin()) {
                Thread.sleep(1_500);
                assertThat(plain.live()).isEqualTo(1);
                assertThat(first.live()).isEqualTo(2);
            }
        }
    }
}
