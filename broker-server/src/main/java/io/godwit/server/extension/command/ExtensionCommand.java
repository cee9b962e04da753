package io.godwit.server.extension.command;

import io.godwit.server.command.HelpOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code godwit extension}. */
@Command(
        name = "extension",
        description =
                "Shows and changes the extensions of the running broker; makes projects of new"
                        + " ones; checks, installs and removes them on this machine.",
        subcommands = {
            ListCommand.class,
            EnableCommand.class,
            DisableCommand.class,
            ReplaceCommand.class,
            NewCommand.class,
            CheckCommand.class,
            InstallCommand.class,
            RemoveCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class ExtensionCommand implements Runnable {
    @Mixin HelpOption help = new HelpOption();

    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
        }
    }
}
