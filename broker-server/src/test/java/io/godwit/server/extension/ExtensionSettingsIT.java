package io.godwit.server.extension;

import static org.assertj.core.api.Assertions.assertThat;

import io.godwit.server.BrokerFixture;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Settings of an extension that {@code POST /reload} reads again, in a running broker. */
class ExtensionSettingsIT {
    @TempDir private Path folder;

    private static HttpResponse<String> reload(BrokerFixture broker) throws Exception {
        URI uri = URI.create("http://127.0.0.1:" + broker.adminPort() + "/reload");
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .POST(HttpRequest.BodyPublishers.noBody())
                                .header("Authorization", "Bearer 0123456789abcdef-token")
                                .build(),
                        HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void reload_tells_the_extension_and_names_all_mistakes_in_its_answer() throws Exception {
        Path own =
                TestExtension.starting(
                                "a",
                                """
                                context.configuration(
                                        Settings.class, next -> log("told " + next.topic()));
                                """)
                        .source(
                                "p.Settings",
                                """
                                package p;
                                import io.godwit.extension.Setting;
                                public record Settings(
                                        @Setting(description = "t", value = "t") String topic,
                                        @Setting(description = "n", value = "1") int times) {}
                                """)
                        .writeTo(folder);
        String[] sets = {
            "extensions.folder=" + folder,
            "extensions.watch=0",
            "admin.token=0123456789abcdef-token",
            "extensions.a.config.topic=other"
        };
        try (BrokerFixture broker =
                BrokerFixture.start(sets[0], sets[1], sets[2]).reloading(sets)) {
            HttpResponse<String> first = reload(broker);
            assertThat(first.statusCode()).as(first.body()).isEqualTo(200);
            assertThat(first.body()).contains("\"name\":\"extensions\"", "a: new settings");
            assertThat(own.resolve(TestExtension.LOG)).hasContent("told other");
            Files.writeString(own.resolve("config.yaml"), "times: many\nspeed: 3");
            HttpResponse<String> second = reload(broker);
            assertThat(second.statusCode()).isEqualTo(409);
            assertThat(second.body())
                    .contains("extensions.a.config.times", "extensions.a.config.speed");
            assertThat(own.resolve(TestExtension.LOG)).hasContent("told other");
        }
    }
}
