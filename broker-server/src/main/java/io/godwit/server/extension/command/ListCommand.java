package io.godwit.server.extension.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import io.godwit.server.command.AdminPort;
import io.godwit.server.command.AnsweringCommand;
import java.io.PrintStream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code godwit extension list}. */
@Command(name = "list", description = "Shows the extensions of the running broker.")
final class ListCommand extends AnsweringCommand {
    @Mixin private BrokerOptions broker = new BrokerOptions();

    @Override
    protected int answer(PrintStream out) throws StartFailed, InterruptedException {
        AdminPort port = broker.port();
        JsonNode all = port.page(port.get("/extensions"), "extensions").get("extensions");
        if (all.isEmpty()) {
            out.println("There are no extensions.");
        }
        for (JsonNode each : all) {
            out.printf(
                    "%-24s %-12s %-10s %-9s %s%n",
                    text(each, "id"),
                    text(each, "version"),
                    text(each, "state"),
                    isRunning(each) ? text(each, "health") : "-",
                    why(each));
        }
        return 0;
    }

    private static boolean isRunning(JsonNode extension) {
        String state = text(extension, "state");
        return state.equals("running") || state.equals("replacing");
    }

    private static String why(JsonNode extension) {
        String cause = text(extension, "cause");
        return cause.isEmpty() ? text(extension, "healthCause") : cause;
    }

    private static String text(JsonNode extension, String field) {
        return extension.path(field).asText();
    }
}
