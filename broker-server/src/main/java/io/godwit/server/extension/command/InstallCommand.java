package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.command.AnsweringCommand;
import io.godwit.server.command.ConfigChoice;
import io.godwit.server.config.ExtensionsConfig;
import io.godwit.server.extension.ExtensionCheck;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code godwit extension install ZIP}. */
@Command(
        name = "install",
        description =
                "Unpacks an extension into extensions.folder on this machine, checks it, and puts it"
                        + " in the place of the one that is there; that one's config.yaml and"
                        + " DISABLED stay. A running broker notices (extensions.watch).")
final class InstallCommand extends AnsweringCommand {
    private static final long BYTES_MAX = 512L << 20;

    /** Files of the operator, which a ZIP does not replace unless it has them. */
    private static final List<String> KEPT = List.of("config.yaml", "DISABLED");

    @Parameters(
            paramLabel = "ZIP",
            description = "a ZIP with one folder, which is named by the extension's id")
    private Path zip = Path.of("");

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException {
        ExtensionsConfig extensions = configuration.config().extensions();
        ExtensionZip packed = new ExtensionZip(zip, BYTES_MAX);
        String id = packed.id();
        Path folder = extensions.folder();
        Path unpacked = folder.resolve(id + ".tmp");
        Folders.delete(unpacked);
        ExtensionCheck check;
        try {
            packed.unpack(unpacked);
            Folders.letAllRead(unpacked);
            keep(folder.resolve(id), unpacked);
            check = ExtensionCheck.of(unpacked, id, extensions.of(id));
            if (!check.mistakes().isEmpty()) {
                throw new StartFailed(String.join("\n", check.mistakes()));
            }
            Folders.exchange(unpacked, folder.resolve(id), folder.resolve(id + ".old.tmp"));
        } finally {
            Folders.delete(unpacked);
        }
        check.remarks().forEach(System.err::println);
        out.println(check.summary() + " is installed in " + folder.resolve(id));
        return 0;
    }

    private static void keep(Path from, Path to) throws IOException {
        for (String each : KEPT) {
            if (Files.exists(from.resolve(each)) && !Files.exists(to.resolve(each))) {
                Files.copy(from.resolve(each), to.resolve(each));
            }
        }
    }
}
