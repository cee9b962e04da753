package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit kick ID}: disconnects a client. */
@Command(
        name = "kick",
        description =
                "Disconnects a client of the running broker. A 5.0 client is told so with"
                        + " DISCONNECT 0x98 (Administrative action). Its Will is published, and it"
                        + " may connect again.")
public final class KickCommand extends AnsweringCommand {
    @Parameters(
            paramLabel = "ID",
            description = "client id; behind -- when it begins with a hyphen")
    private String clientId = "";

    @Option(
            names = "--session",
            description = "ends its session, too: its queue and its subscriptions are lost")
    private boolean session;

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            description =
                    "admin port of the broker (port, host:port or URL), instead of"
                            + " admin.bind; it receives admin.token, if one is set")
    private @Nullable String admin;

    @Override
    protected int answer(PrintStream out) throws StartFailed, InterruptedException {
        AdminPort port = AdminPort.of(configuration.config(), admin);
        // Unlike in a query a plus sign stands for itself in a path.
        String id = URLEncoder.encode(clientId, StandardCharsets.UTF_8).replace("+", "%20");
        JsonNode page =
                port.page(
                        port.delete("/clients/" + id + "?session=" + session, "kick"),
                        "sessionEnded");
        out.printf(
                page.get("sessionEnded").asBoolean()
                        ? "%s is disconnected, and its session has ended%n"
                        : "%s is disconnected%n",
                page.get("clientId").asText());
        return 0;
    }
}
