package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** {@code godwit memory}: what a running broker's memory goes to, by class. */
@Command(name = "memory", description = "Shows what the memory of the running broker is used for.")
public final class MemoryCommand extends AdminCommand {
    @Override
    String path() {
        return "/memory";
    }

    @Override
    String field() {
        return "classes";
    }

    @Override
    int print(JsonNode page, PrintStream out) {
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
