package io.godwit.server.rules;

import io.godwit.server.command.HelpOption;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code godwit rules}. */
@Command(
        name = "rules",
        description = "Says what the file of rules (security.rules) decides.",
        subcommands = RulesExplainCommand.class,
        synopsisSubcommandLabel = "COMMAND")
public final class RulesCommand implements Runnable {
    @Mixin HelpOption help = new HelpOption();

    @CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
        }
    }
}
