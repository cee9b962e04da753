package io.godwit.server.command;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code godwit cluster}. */
@Command(
        name = "cluster",
        description =
                "Shows the cluster of a running broker, compares its copies, has one of its"
                        + " nodes give its sessions to others, forgets one, or runs a demo"
                        + " cluster.",
        subcommands = {
            ClusterStatusCommand.class,
            ClusterVerifyCommand.class,
            ClusterDrainCommand.class,
            ClusterUndrainCommand.class,
            ClusterForgetCommand.class,
            DemoCommand.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class ClusterCommand implements Runnable {
    @Mixin HelpOption help = new HelpOption();

    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
        }
    }
}
