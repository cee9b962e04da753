package io.godwit.server.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code godwit cluster}. */
@Command(
        name = "cluster",
        description = "Looks at the cluster of a running broker, or runs one to try.",
        subcommands = {ClusterStatusCommand.class, DemoCommand.class},
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand implements Runnable {
    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
        }
    }
}
