package io.godwit.server.store;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.AsideLines;
import io.godwit.persistence.inspect.AsidePurge;
import io.godwit.persistence.inspect.OpenedStore;
import io.godwit.persistence.inspect.Queues;
import io.godwit.persistence.inspect.StoreView;
import io.godwit.server.StartFailed;
import io.godwit.server.data.FolderLock;
import java.io.PrintStream;
import java.security.SecureRandom;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Shows what is set aside of copies, and deletes it when somebody has looked at it. */
@Command(
        name = "aside",
        description = {
            "Shows what copies had and their leaders did not have: it is set aside.",
            "export --aside writes it to a file."
        })
@SuppressWarnings("try") // locks are held, not used
final class AsideCommand extends StoreCommand.Each {
    @Option(names = "--delete", description = "deletes all of it")
    private boolean delete;

    @Override
    int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure {
        try (FolderLock lock = folder.lock(delete)) {
            if (delete) {
                delete(out);
            } else {
                show(out);
            }
            return 0;
        }
    }

    private void show(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure {
        try (StoreView view = StoreView.open(folder.store())) {
            int[] lines = {0};
            AsideLines.read(
                    view.disk(),
                    each -> {
                        lines[0]++;
                        out.println(line(each));
                    });
            if (lines[0] == 0) {
                out.println("nothing is set aside");
            }
        }
    }

    private static String line(AsideLines.Line each) {
        return "queue="
                + Queues.text(each.queueId())
                + " leader="
                + each.leader()
                + " owner="
                + Texts.quoted(each.owner())
                + " messages="
                + each.counts().entries()
                + " bytes="
                + each.counts().bytes();
    }

    private void delete(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure {
        try (OpenedStore store =
                OpenedStore.open(
                        folder.store(),
                        System.currentTimeMillis(),
                        new SecureRandom().nextLong())) {
            out.println("deleted " + new AsidePurge(store.disk()).run() + " messages");
        }
    }
}
