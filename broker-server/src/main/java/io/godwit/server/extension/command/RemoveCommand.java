package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.command.AnsweringCommand;
import io.godwit.server.command.ConfigChoice;
import io.godwit.server.config.ExtensionKeys;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code godwit extension remove ID}. */
@Command(
        name = "remove",
        description =
                "Deletes an extension from extensions.folder on this machine, with its config.yaml. A"
                        + " running broker notices (extensions.watch) and stops it.")
final class RemoveCommand extends AnsweringCommand {
    @Parameters(paramLabel = "ID", description = "the name of its folder")
    private String id = "";

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException {
        Path all = configuration.config().extensions().folder();
        if (!ExtensionKeys.isId(id) || !Files.isDirectory(all.resolve(id))) {
            throw new StartFailed("there is no extension " + id + " in " + all);
        }
        Path aside = all.resolve(id + ".old.tmp");
        Folders.delete(aside);
        Files.move(all.resolve(id), aside);
        Folders.delete(aside);
        out.println(id + " is removed from " + all);
        return 0;
    }
}
