package io.godwit.server.store;

import io.godwit.core.packet.ClientId;
import io.godwit.core.packet.TopicFilter;
import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.OpenedStore;
import io.godwit.persistence.inspect.QueuePurge;
import io.godwit.persistence.inspect.SetAside;
import io.godwit.persistence.inspect.StoreSummary;
import io.godwit.server.StartFailed;
import io.godwit.server.data.FolderLock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Commands that change a store. */
@SuppressWarnings("try") // locks are held, not used
final class RepairCommands {
    private static final DateTimeFormatter DATED = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    private RepairCommands() {}

    @Command(
            name = "purge",
            description = "Deletes what waits in one queue; session and subscriptions stay.",
            mixinStandardHelpOptions = true)
    static final class Purge extends StoreCommand.Each {
        @Parameters(paramLabel = "CLIENT", arity = "0..1", description = "client id of the session")
        private @Nullable String client;

        @Option(
                names = "--group",
                paramLabel = "FILTER",
                description = "instead of a client: the filter of a shared group, $share/...")
        private @Nullable String group;

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure {
            try (FolderLock lock = folder.lock(true);
                    OpenedStore store =
                            OpenedStore.open(
                                    folder.store(),
                                    System.currentTimeMillis(),
                                    new SecureRandom().nextLong())) {
                StoreSummary summary = new StoreSummary(store.disk());
                List<Long> queues =
                        summary.queuesOf(
                                client == null ? null : ClientId.of(client),
                                group == null ? null : TopicFilter.of(group));
                if (queues.isEmpty()) {
                    System.err.println(
                            group == null && client == null
                                    ? "name a client, or a group with --group"
                                    : "there is no queue of " + (group == null ? client : group));
                    return 1;
                }
                long deleted = 0;
                for (long queueId : queues) {
                    deleted += new QueuePurge(store.disk(), queueId).run();
                }
                out.println("deleted " + deleted + " messages");
                return 0;
            }
        }
    }

    @Command(
            name = "set-aside",
            description = "Moves a damaged store away and makes one of what can be read of it.",
            mixinStandardHelpOptions = true)
    static final class Aside extends StoreCommand.Each {
        @Option(
                names = "--all",
                description = "keeps nothing: the broker starts with an empty store")
        private boolean all;

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure, IOException {
            try (FolderLock lock = folder.lock(true)) {
                Path store = folder.store();
                if (SetAside.isCut(store)) {
                    SetAside.finish(store);
                    out.println("The interrupted set-aside is finished now. The broker can start.");
                    return 0;
                }
                Path aside =
                        store.resolveSibling("store.aside-" + DATED.format(LocalDateTime.now()));
                if (all) {
                    Files.move(store, aside);
                    newServerId();
                    out.println("Given up: everything. The store is in " + aside + ".");
                    return 0;
                }
                SetAside.Outcome outcome =
                        SetAside.run(store, aside, new SecureRandom().nextLong());
                if (outcome.floorsAreLost()) {
                    newServerId();
                    out.println(
                            "The ids given so far can't be read: the node gets a new server id.");
                }
                outcome.givenUp().forEach(each -> out.println("Given up: " + each + "."));
                if (outcome.givenUp().isEmpty()) {
                    out.println("Nothing was damaged; counts and indexes were made anew.");
                }
                out.println(
                        "Kept: "
                                + outcome.items()
                                + " records of tables and the journal up to its damage. The store as"
                                + " it was is in "
                                + outcome.aside()
                                + ". The broker can start.");
                return 0;
            }
        }

        private void newServerId() throws StartFailed, IOException {
            Files.deleteIfExists(folder.data().resolve("server-id"));
        }
    }
}
