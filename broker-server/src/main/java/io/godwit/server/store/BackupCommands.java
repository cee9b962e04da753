package io.godwit.server.store;

import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.StoreBackup;
import io.godwit.server.StartFailed;
import io.godwit.server.command.AdminPort;
import io.godwit.server.data.DataFolder;
import io.godwit.server.data.FolderLock;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A copy of a running broker's store, and its way back. */
@SuppressWarnings("try") // locks are held, not used
final class BackupCommands {
    private BackupCommands() {}

    static void checkNoStore(Path store) throws StartFailed {
        if (Files.exists(store)) {
            throw new StartFailed(
                    "there is a store in " + store + ": move it away, or name another data folder");
        }
    }

    @Command(
            name = "backup",
            description =
                    "Lets the running broker copy its store into a new folder below"
                            + " store.backup-folder.")
    static final class Backup extends StoreCommand.Each {
        @Parameters(
                paramLabel = "FOLDER",
                description =
                        "its name, or a path below store.backup-folder; it must not exist yet")
        private String to = "";

        @Option(
                names = "--admin",
                paramLabel = "ADDRESS",
                description =
                        "admin port of the broker, instead of admin.bind; it receives admin.token,"
                                + " if one is set")
        private @Nullable String admin;

        @Override
        int run(PrintStream out) throws StartFailed, IOException, InterruptedException {
            AdminPort port = AdminPort.of(folder.config(), admin);
            String query = URLEncoder.encode(to, StandardCharsets.UTF_8);
            try {
                HttpResponse<String> answer = port.post("/store/backup?to=" + query, "backup");
                if (answer.statusCode() == 200) {
                    out.print(answer.body());
                    return 0;
                }
                throw port.refusal(answer);
            } catch (StartFailed e) {
                if (!(e.getCause() instanceof ConnectException)) throw e;
                throw new StartFailed(
                        e.getMessage()
                                + ". If the broker is stopped, copy the folder "
                                + folder.store()
                                + " itself.",
                        e);
            }
        }
    }

    @Command(name = "restore", description = "Puts a backup into a data folder that has no store.")
    static final class Restore extends StoreCommand.Each {
        @Parameters(paramLabel = "FOLDER", description = "the backup; it is not changed")
        private Path from = Path.of("");

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, IOException {
            Path data = folder.data();
            Path store = folder.store();
            Files.createDirectories(data);
            try (FolderLock lock = FolderLock.take(data, true)) {
                checkNoStore(store);
                DataFolder.forgetNode(data);
                StoreBackup.restore(from, store);
                out.println(
                        "restored into " + store + "; the node gets a new server id at its start");
                return 0;
            }
        }
    }
}
