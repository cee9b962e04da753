package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit cluster undrain NODE}. */
@Command(
        name = "undrain",
        description =
                "Lets a node lead sessions again after 'godwit cluster drain'. It gets some after"
                        + " cluster.rebalance-after.")
final class ClusterUndrainCommand extends AnsweringCommand {
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
        String path = "/cluster/undrain?node=" + URLEncoder.encode(node, StandardCharsets.UTF_8);
        JsonNode page = port.page(port.post(path, "undrain"), "setsLeft");
        out.printf("Node %s may lead sessions again%n", page.get("name").asText());
        return 0;
    }
}
