package io.godwit.extensions.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.godwit.extension.access.AccessRules;
import io.godwit.extension.auth.AuthenticationResult;
import io.godwit.extension.auth.Authorization;
import io.godwit.extension.auth.Grant;
import io.godwit.extension.packet.PublishPacket;
import io.godwit.extension.packet.ReasonCode;
import io.godwit.extension.packet.Subscription;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the server that the page has. */
class PageServerTest {
    private static final Path PAGE = Path.of("../../docs/extensions/http.md");

    @TempDir Path folder;

    @Test
    void server_of_the_page_lets_its_user_in_and_nobody_else() throws Exception {
        int port = freePort();
        Process server = new ProcessBuilder("python3", write(port).toString()).inheritIO().start();
        URI url = URI.create("http://127.0.0.1:" + port + "/mqtt");
        try (Running http = Running.start(Settings.of(url).asksAll())) {
            await().atMost(30, TimeUnit.SECONDS).until(() -> isOpen(port));

            AuthenticationResult alice = http.authenticate("alice");
            Grant grant = ((AuthenticationResult.Granted) alice).grant();
            assertThat(grant.userName()).contains("alice");
            assertThat(grant.groups()).containsExactly("fleet");
            assertThat(grant.rules().map(AccessRules::rules).orElseThrow().toString())
                    .isEqualTo("[{allow: [publish, subscribe], topic: \"devices/%c/#\"}]");
            assertThat(http.authenticate(Running.connect("alice", null), Running.ORIGIN))
                    .isEqualTo(
                            AuthenticationResult.refused(ReasonCode.BAD_USER_NAME_OR_PASSWORD, ""));
            assertThat(http.authenticate("bob")).isEqualTo(AuthenticationResult.passedOn());
            assertThat(http.publish(PublishPacket.to("devices/all").build()))
                    .isInstanceOf(Authorization.Denied.class);
            assertThat(http.subscribe(new Subscription("devices/c1/#", 1, false, false, 0)))
                    .isInstanceOf(Authorization.Undecided.class);
        } finally {
            server.destroy();
        }
    }

    private Path write(int port) throws IOException {
        Matcher block =
                Pattern.compile("```python\n(.*?)```", Pattern.DOTALL)
                        .matcher(Files.readString(PAGE));
        assertThat(block.find()).isTrue();
        String script = block.group(1);
        assertThat(script).contains("8080");
        return Files.writeString(
                folder.resolve("server.py"), script.replace("8080", String.valueOf(port)));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    private static boolean isOpen(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }
}
