package io.godwit.server.store;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.persistence.inspect.StoreExport;
import io.godwit.persistence.inspect.StoreImport;
import io.godwit.persistence.inspect.StoreView;
import io.godwit.persistence.rocks.RocksDisk;
import io.godwit.server.Causes;
import io.godwit.server.StartFailed;
import io.godwit.server.data.DataFolder;
import io.godwit.server.data.FolderLock;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Everything out as JSON lines, and back. */
@SuppressWarnings("try") // locks are held, not used
final class ExchangeCommands {
    private ExchangeCommands() {}

    @Command(name = "export", description = "Writes everything as JSON lines, payloads in base64.")
    static final class Export extends LookCommands.Look {
        @Parameters(paramLabel = "FILE", description = "a new file; - is standard output")
        private String file = "";

        @Option(
                names = "--copies",
                description = "writes the copies of other nodes' queues, too, with their leaders")
        private boolean copies;

        @Option(
                names = "--aside",
                description =
                        "writes what is set aside of copies, too, since their leaders do not have it")
        private boolean aside;

        private int left;
        private long asideLeft;

        @Override
        int look(StoreView view, PrintStream out) throws DiskFailure, IOException {
            if (file.equals("-")) {
                Writer to = new OutputStreamWriter(out, StandardCharsets.UTF_8);
                write(view, new BufferedWriter(to));
                return 0;
            }
            try (BufferedWriter to =
                    Files.newBufferedWriter(Path.of(file), StandardOpenOption.CREATE_NEW)) {
                System.err.println("exported " + write(view, to) + " records" + leftOut());
            }
            return 0;
        }

        private String leftOut() {
            return (left == 0
                            ? ""
                            : "; left out: copies of "
                                    + left
                                    + " queues of other nodes (--copies writes them, too)")
                    + (asideLeft == 0
                            ? ""
                            : "; left out: "
                                    + asideLeft
                                    + " messages that are set aside (--aside writes them, too)");
        }

        private long write(StoreView view, BufferedWriter to) throws DiskFailure, IOException {
            StoreExport export =
                    new StoreExport(
                            view.disk(),
                            item -> {
                                to.write(StoreJson.write(item));
                                to.write('\n');
                            });
            if (!copies) {
                export.withoutCopies();
            }
            if (!aside) {
                export.withoutAside();
            }
            long items = export.run();
            left = export.leftOut();
            asideLeft = export.asideLeftOut();
            to.write(StoreJson.end(items));
            to.write('\n');
            to.flush();
            return items;
        }
    }

    @Command(name = "import", description = "Creates a store from an export where there is none.")
    static final class Import extends StoreCommand.Each {
        @Parameters(paramLabel = "FILE", description = "a file written by export")
        private Path file = Path.of("");

        @Override
        int run(PrintStream out) throws StartFailed, StoreUnusable, DiskFailure, IOException {
            Path data = folder.data();
            Path store = folder.store();
            Files.createDirectories(data);
            try (FolderLock lock = FolderLock.take(data, true)) {
                BackupCommands.checkNoStore(store);
                Path part = store.resolveSibling("store.part");
                delete(part);
                long items = read(part);
                DataFolder.forgetNode(data);
                Files.move(part, store, StandardCopyOption.ATOMIC_MOVE);
                out.println(
                        "imported "
                                + items
                                + " records; the node gets a new server id at its start");
                return 0;
            }
        }

        private long read(Path part) throws StoreUnusable, DiskFailure, IOException {
            long line = 0;
            int version = StoreJson.VERSION;
            try (RocksDisk disk = RocksDisk.open(part);
                    BufferedReader in = Files.newBufferedReader(file)) {
                StoreImport to = new StoreImport(disk);
                boolean isWhole = false;
                for (String text = in.readLine(); text != null; text = in.readLine()) {
                    line++;
                    if (StoreJson.isEnd(text, line - 1)) {
                        isWhole = true;
                        break;
                    }
                    if (line == 1) {
                        version = StoreJson.version(text);
                    }
                    to.item(StoreJson.read(text, version, line == 1));
                }
                if (!isWhole) {
                    throw new IOException("the file is incomplete: its last line is missing");
                }
                to.finish();
                if (!to.dropped().isEmpty()) {
                    throw new IOException("messages refer to payloads that the file does not have");
                }
                return line - 1;
            } catch (IOException | IllegalArgumentException e) {
                throw new IOException(file + ", line " + line + ": " + Causes.of(e), e);
            }
        }

        private static void delete(Path folder) throws IOException {
            if (!Files.exists(folder)) {
                return;
            }
            try (Stream<Path> all = Files.walk(folder)) {
                List<Path> deepest = all.sorted(Comparator.reverseOrder()).toList();
                for (Path each : deepest) {
                    Files.delete(each);
                }
            }
        }
    }
}
