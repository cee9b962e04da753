package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code godwit memory}: what a running broker's memory goes to, by class. */
@Command(
        name = "memory",
        description = "Says what the memory of the running broker goes to.",
        mixinStandardHelpOptions = true)
public final class MemoryCommand extends AnsweringCommand {
    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description = "of the broker, instead of admin.bind")
    private @Nullable String admin;

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException, InterruptedException {
        String address = admin == null ? AdminAddress.of(configuration.config()) : admin;
        JsonNode page = AdminPage.get(address, "/memory");
        if (page == null) {
            return 1;
        }
        for (JsonNode each : page.get("classes")) {
            out.printf(
                    "%-11s %-7s %,15d  %s%n",
                    each.get("class").asText(),
                    each.get("memory").asText(),
                    each.get("bytes").asLong(),
                    each.get("what").asText());
        }
        out.printf(
                "the memory alarm %s; it counts %,d bytes%n",
                page.get("alarm").asBoolean() ? "is on: publishers wait" : "is off",
                page.get("alarm-bytes").asLong());
        return 0;
    }
}
