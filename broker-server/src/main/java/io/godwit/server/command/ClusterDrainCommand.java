package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit cluster drain NODE}. */
@Command(
        name = "drain",
        description =
                "Has a node give its sessions to nodes with copies of them, and lead nothing until"
                        + " 'godwit cluster undrain' or its next start. Its clients connect again."
                        + " Waits a minute at most. Exit codes: 0 it leads no session any more, 1"
                        + " it still leads some.")
final class ClusterDrainCommand extends AnsweringCommand {
    private static final long LIMIT_SECONDS = 60;
    private static final long POLL_MS = 300;

    @Parameters(paramLabel = "NODE", description = "its name or server id")
    private String node = "";

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            description =
                    "admin port of that node (port, host:port or URL), instead of admin.bind; it"
                            + " receives admin.token, if one is set")
    private @Nullable String admin;

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException, InterruptedException {
        AdminPort port = AdminPort.of(configuration.config(), admin);
        String path = "/cluster/drain?node=" + URLEncoder.encode(node, StandardCharsets.UTF_8);
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        JsonNode page = port.page(port.post(path, "drain"), "setsLeft");
        while (isLeft(page) && System.nanoTime() < endNanos) {
            Thread.sleep(POLL_MS);
            page = port.page(port.post(path, "drain"), "setsLeft");
        }
        String name = page.get("name").asText();
        if (isLeft(page)) {
            out.printf(
                    "Node %s still leads sessions of the copy sets %s: no other node that may lead"
                            + " has a whole copy of them yet. It goes on giving them.%n",
                    name, page.get("setsLeft"));
            return 1;
        }
        out.printf("Node %s leads no session any more%n", name);
        return 0;
    }

    private static boolean isLeft(JsonNode page) {
        return !page.get("draining").asBoolean() || !page.get("setsLeft").isEmpty();
    }
}
