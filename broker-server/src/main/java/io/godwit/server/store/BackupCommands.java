package io.godwit.server.store;

import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.StoreBackup;
import io.godwit.server.StartFailed;
import io.godwit.server.command.AdminAddress;
import io.godwit.server.config.Secret;
import io.godwit.server.data.FolderLock;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
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
                        "its name, or a path below store.backup-folder; it does not exist yet")
        private String to = "";

        @Option(
                names = "--admin",
                paramLabel = "HOST:PORT",
                description = "of the broker, instead of admin.bind")
        private @Nullable String admin;

        @Override
        int run(PrintStream out) throws StartFailed, IOException, InterruptedException {
            String address = admin == null ? AdminAddress.of(folder.config()) : admin;
            String query = URLEncoder.encode(to, StandardCharsets.UTF_8);
            Secret token = folder.config().admin().token();
            URI uri = URI.create("http://" + address + "/store/backup?to=" + query);
            try (HttpClient http = HttpClient.newHttpClient()) {
                HttpRequest.Builder request =
                        HttpRequest.newBuilder(uri)
                                .header("Godwit-Command", "backup")
                                .POST(HttpRequest.BodyPublishers.noBody());
                if (token != null) {
                    request.header("Authorization", "Bearer " + token.text());
                }
                HttpResponse<String> answer =
                        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
                boolean isDone = answer.statusCode() == 200;
                (isDone ? out : System.err).print(answer.body());
                return isDone ? 0 : 1;
            } catch (ConnectException e) {
                throw new StartFailed(
                        "no broker answers at its admin port "
                                + address
                                + ". Of a stopped broker copy the folder "
                                + folder.store()
                                + " itself.",
                        e);
            }
        }
    }

    @Command(name = "restore", description = "Puts a backup into a data folder that has no store.")
    static final class Restore extends StoreCommand.Each {
        @Parameters(paramLabel = "FOLDER", description = "the backup; it stays as it is")
        private Path from = Path.of("");

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, IOException {
            Path data = folder.data();
            Path store = folder.store();
            Files.createDirectories(data);
            try (FolderLock lock = FolderLock.take(data, true)) {
                checkNoStore(store);
                Files.deleteIfExists(data.resolve("server-id"));
                StoreBackup.restore(from, store);
                out.println(
                        "restored into " + store + "; the node gets a new server id at its start");
                return 0;
            }
        }
    }
}
