package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.command.AnsweringCommand;
import io.godwit.server.command.ConfigChoice;
import io.godwit.server.extension.ExtensionCheck;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code godwit extension check FOLDER}. */
@Command(
        name = "check",
        description =
                "Checks an extension without starting it: its descriptor, its main class, its"
                        + " settings, and that it uses nothing of Godwit but the API.")
final class CheckCommand extends AnsweringCommand {
    @Parameters(paramLabel = "FOLDER", description = "its folder, which is named by its id")
    private Path folder = Path.of("");

    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Override
    protected int answer(PrintStream out) throws StartFailed {
        Path checked = folder.toAbsolutePath().normalize();
        if (!Files.isDirectory(checked)) {
            throw new StartFailed("there is no folder " + checked);
        }
        String id = String.valueOf(checked.getFileName());
        return print(
                ExtensionCheck.of(checked, id, configuration.config().extensions().of(id)), out);
    }

    private static int print(ExtensionCheck check, PrintStream out) {
        check.mistakes().forEach(System.err::println);
        if (!check.mistakes().isEmpty()) {
            return 1;
        }
        check.remarks().forEach(System.err::println);
        out.println("The extension is valid: " + check.summary());
        return 0;
    }
}
