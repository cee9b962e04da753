package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit cluster forget NODE}. */
@Command(
        name = "forget",
        description =
                "Forgets a node that never comes back: nothing waits for it any more, and its"
                        + " sessions are lost that no other node has a whole copy of. Without --yes"
                        + " it only shows what would be lost.")
final class ClusterForgetCommand extends AnsweringCommand {
    @Parameters(
            paramLabel = "NODE",
            description = "its name or server id, as 'godwit cluster status' shows them")
    private String node = "";

    @Option(names = "--yes", description = "forgets it")
    private boolean yes;

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            description =
                    "admin port of any other node (port, host:port or URL), instead of"
                            + " admin.bind; it receives admin.token, if one is set")
    private @Nullable String admin;

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException, InterruptedException {
        AdminPort port = AdminPort.of(configuration.config(), admin);
        String path =
                "/cluster/forget?node="
                        + URLEncoder.encode(node, StandardCharsets.UTF_8)
                        + (yes ? "" : "&dry-run=true");
        JsonNode page = port.page(port.post(path, "forget"), "name");
        String member =
                "node %s (server id %d)"
                        .formatted(page.get("name").asText(), page.get("server").asInt());
        if (yes) {
            out.printf("%s is forgotten%n", member);
            return 0;
        }
        out.println(lost(member, page));
        System.err.println("Nothing was done: --yes forgets it.");
        return 1;
    }

    private static String lost(String member, JsonNode page) {
        List<String> what = new ArrayList<>();
        if (!page.get("lost").isEmpty()) {
            what.add(
                    ("its durable sessions in copy sets %s, of which no other node has a whole copy,"
                                    + " their queues, and the messages that wait for them")
                            .formatted(page.get("lost")));
        }
        if (page.get("losesGroups").asBoolean()) {
            what.add("what waits there in shared groups");
        }
        return what.isEmpty()
                ? "With %s nothing is lost: other nodes have whole copies of all that it leads."
                        .formatted(member)
                : "With %s these are lost: %s.".formatted(member, String.join("; ", what));
    }
}
