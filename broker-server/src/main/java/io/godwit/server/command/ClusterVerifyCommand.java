package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code godwit cluster verify}. */
@Command(
        name = "verify",
        description = {
            "Compares all copies of durable sessions with what their leaders have, while the nodes"
                    + " run. Takes a minute at most.",
            "Exit codes: 0 all copies were compared and are equal, 1 some differ (or the node did"
                    + " not answer), 3 not everything was compared."
        })
final class ClusterVerifyCommand extends AnsweringCommand {
    /** Not everything was compared, and what was is equal. */
    private static final int NOT_COMPARED = 3;

    private static final String ROW = "%-12s %-12s %4s %9s  %s%n";

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            description =
                    "admin port of any node (port, host:port or URL), instead of admin.bind; it"
                            + " receives admin.token, if one is set")
    private @Nullable String admin;

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException, InterruptedException {
        AdminPort port = AdminPort.of(configuration.config(), admin);
        return print(port.page(port.post("/cluster/verify", "verify"), "leaders"), out);
    }

    /**
     * @return the exit code
     */
    static int print(JsonNode page, PrintStream out) {
        int differing = 0;
        int equal = 0;
        List<String> open = new ArrayList<>();
        boolean hasCopies = false;
        out.printf(ROW, "leader", "follower", "sets", "sessions", "copy");
        for (JsonNode leader : page.get("leaders")) {
            String name = leader.get("name").asText();
            hasCopies |= leader.get("copies").asInt() != 1;
            String reason = leader.get("notCompared").asText();
            if (!reason.isEmpty()) {
                open.add(name);
                out.printf(ROW, name, "-", "-", "-", "not compared: " + reason);
            }
            for (JsonNode each : leader.get("followers")) {
                String why = each.get("notCompared").asText();
                int slots = each.get("slotsDiffering").asInt();
                if (!why.isEmpty()) {
                    open.add(name + " at " + each.get("name").asText());
                } else if (slots > 0) {
                    differing++;
                } else {
                    equal++;
                }
                out.printf(
                        ROW,
                        name,
                        each.get("name").asText(),
                        each.get("sets").asText(),
                        "%,d".formatted(each.get("queues").asLong()),
                        !why.isEmpty()
                                ? "not compared: " + why
                                : slots > 0 ? differs(each, slots) : "equal");
            }
            int missing = leader.get("setsMissing").asInt();
            if (missing > 0) {
                open.add(name);
                out.printf(
                        ROW,
                        name,
                        "-",
                        missing,
                        "-",
                        "fewer than " + leader.get("copies").asInt() + " whole copies");
            }
        }
        return conclude(out, hasCopies, differing, equal, open);
    }

    private static String differs(JsonNode follower, int slots) {
        StringBuilder text =
                new StringBuilder("differs in " + slots + (slots == 1 ? " slot:" : " slots:"));
        for (JsonNode each : follower.get("slots")) {
            text.append(each == follower.get("slots").get(0) ? " " : ", ");
            text.append(each.get("slot").asText());
            text.append(" (").append(each.get("copied").asInt()).append(" of ");
            text.append(each.get("queues").asInt()).append(" there)");
        }
        return text.append(slots > follower.get("slots").size() ? ", ..." : "").toString();
    }

    private static int conclude(
            PrintStream out, boolean hasCopies, int differing, int equal, List<String> open) {
        if (differing > 0) {
            out.printf(
                    "%d copies differ from what their leaders have%s%n",
                    differing, open.isEmpty() ? "" : ", and not everything was compared");
            return 1;
        }
        if (!open.isEmpty()) {
            out.printf(
                    "not everything was compared: %s; %d copies are equal%n",
                    String.join(", ", open.stream().distinct().toList()), equal);
            return NOT_COMPARED;
        }
        if (!hasCopies) {
            out.println("there are no copies to compare (cluster.copies = 1)");
            return 0;
        }
        out.printf("all %d copies are equal to what their leaders have%n", equal);
        return 0;
    }
}
