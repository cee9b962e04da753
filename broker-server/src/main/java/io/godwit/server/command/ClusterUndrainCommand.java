package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import picocli.CommandLine.Command;

/** {@code godwit cluster undrain NODE}. */
@Command(
        name = "undrain",
        description =
                "Lets a node lead sessions again after 'godwit cluster drain'. It gets some after"
                        + " cluster.rebalance-after.")
final class ClusterUndrainCommand extends DrainingCommand {
    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException, InterruptedException {
        JsonNode page = post(port(), "undrain");
        out.printf("Node %s may lead sessions again%n", page.get("name").asText());
        return 0;
    }
}
