package io.godwit.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerProcess;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The admin port while clients, or whoever else, have used up all network buffers. */
class AdminWithoutBuffersIT {
    /** Two read buffers of 64 KiB, and less than the pool takes at a time. */
    private static final int DIRECT_BYTES = 256 << 10;

    @Test
    void it_answers_all_the_same() throws Exception {
        try (BrokerProcess broker =
                        new BrokerProcess.Setup()
                                .jvmFlags(
                                        List.of(
                                                "-Xmx128m",
                                                "-Dio.netty.maxDirectMemory=" + DIRECT_BYTES))
                                .set("server.shards=2")
                                .start();
                HttpClient client = HttpClient.newHttpClient()) {
            broker.readyLine();
            for (String path : List.of("/health/live", "/metrics", "/health/ready", "/clients")) {
                HttpResponse<String> answer =
                        client.send(
                                HttpRequest.newBuilder(
                                                URI.create(
                                                        "http://127.0.0.1:"
                                                                + broker.port("admin")
                                                                + path))
                                        .timeout(Duration.ofSeconds(30))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                assertThat(answer.statusCode()).as(path).isEqualTo(200);
            }
        }
    }
}
