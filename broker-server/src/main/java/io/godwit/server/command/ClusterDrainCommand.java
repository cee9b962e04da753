package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;

/** {@code godwit cluster drain NODE}. */
@Command(
        name = "drain",
        description =
                "Has a node give its sessions to nodes with copies of them, which are made first"
                        + " where there are none, and lead nothing until 'godwit cluster undrain'"
                        + " or its next start. Its clients connect again."
                        + " Waits a minute at most. Exit codes: 0 it leads no session any more, 1"
                        + " it still leads some.")
final class ClusterDrainCommand extends DrainingCommand {
    private static final long LIMIT_SECONDS = 60;
    private static final long POLL_MS = 300;

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException, InterruptedException {
        AdminPort port = port();
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(LIMIT_SECONDS);
        JsonNode page = post(port, "drain");
        while (isLeft(page) && System.nanoTime() < endNanos) {
            Thread.sleep(POLL_MS);
            page = post(port, "drain");
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
