package io.godwit.server.store;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.OpenedStore;
import io.godwit.persistence.inspect.QueueAside;
import io.godwit.persistence.inspect.QueuePurge;
import io.godwit.persistence.inspect.Queues;
import io.godwit.persistence.inspect.SetAside;
import io.godwit.persistence.inspect.StoreView;
import io.godwit.server.StartFailed;
import io.godwit.server.data.DataFolder;
import io.godwit.server.data.FolderLock;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Commands that change a store. */
@SuppressWarnings("try") // locks are held, not used
final class RepairCommands {
    private static final DateTimeFormatter DATED = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    private RepairCommands() {}

    @Command(
            name = "purge",
            description =
                    "Deletes the messages of one queue; the session and its subscriptions"
                            + " stay.")
    static final class Purge extends StoreCommand.Each {
        @Mixin private QueueChoice choice = new QueueChoice();

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure {
            try (FolderLock lock = folder.lock(true);
                    OpenedStore store =
                            OpenedStore.open(
                                    folder.store(),
                                    System.currentTimeMillis(),
                                    new SecureRandom().nextLong())) {
                List<Long> queues = choice.of(store.disk());
                if (queues.isEmpty()) {
                    System.err.println(choice.missing());
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
            description = {
                "Moves a damaged store away and creates a new one from what can be read.",
                "Of a client, a group or a queue: only its messages move, away from the damage."
            })
    static final class Aside extends StoreCommand.Each {
        @Option(
                names = "--all",
                description = "keeps nothing: the broker starts with an empty store")
        private boolean all;

        @Mixin private QueueChoice choice = new QueueChoice();

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure, IOException {
            try (FolderLock lock = folder.lock(true)) {
                Path store = folder.store();
                if (choice.isMade()) {
                    return queues(store, out);
                }
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
                            "The ids assigned so far can't be read: the node gets a new server"
                                    + " id.");
                }
                outcome.givenUp().forEach(each -> out.println("Given up: " + each + "."));
                if (outcome.givenUp().isEmpty()) {
                    out.println("Nothing was damaged; counts and indexes were rebuilt.");
                }
                out.println(
                        "Kept: "
                                + outcome.items()
                                + " records of tables and what could be read of the journal. The old"
                                + " store is in "
                                + outcome.aside()
                                + ". The broker can start.");
                return 0;
            }
        }

        private int queues(Path store, PrintStream out) throws StoreUnusable, DiskFailure {
            List<Long> queues;
            try (StoreView view = StoreView.open(store)) {
                queues = choice.of(view.disk());
            }
            if (queues.isEmpty()) {
                System.err.println(choice.missing());
                return 1;
            }
            for (long queueId : queues) {
                QueueAside.Outcome outcome =
                        QueueAside.run(
                                store,
                                queueId,
                                System.currentTimeMillis(),
                                new SecureRandom().nextLong());
                if (outcome.queueId() == queueId) {
                    out.println("Queue " + Queues.text(queueId) + " is not damaged.");
                    continue;
                }
                outcome.givenUp().forEach(each -> out.println("Given up: " + each + "."));
                out.println(
                        "Queue "
                                + Queues.text(queueId)
                                + " goes on as "
                                + Queues.text(outcome.queueId())
                                + " with "
                                + outcome.messages()
                                + " messages. The broker can start; the damage stays in the store"
                                + " until the whole store is set aside.");
            }
            return 0;
        }

        private void newServerId() throws StartFailed, IOException {
            DataFolder.forgetNode(folder.data());
        }
    }
}
