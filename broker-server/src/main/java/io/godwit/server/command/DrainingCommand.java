package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A command that tells a node by its own admin port to lead nothing, or to lead again. */
abstract class DrainingCommand extends AnsweringCommand {
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

    final AdminPort port() throws StartFailed {
        return AdminPort.of(configuration.config(), admin);
    }

    /**
     * Asks the node.
     *
     * @param name {@code drain} or {@code undrain}
     * @return its answer, which has {@code name}, {@code draining} and {@code setsLeft}
     */
    final JsonNode post(AdminPort port, String name)
            throws StartFailed, IOException, InterruptedException {
        String path =
                "/cluster/" + name + "?node=" + URLEncoder.encode(node, StandardCharsets.UTF_8);
        return port.page(port.post(path, name), "setsLeft");
    }
}
