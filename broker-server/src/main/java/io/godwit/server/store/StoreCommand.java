package io.godwit.server.store;

import io.godwit.persistence.disk.DiskFailure;
import io.godwit.persistence.disk.StoreUnusable;
import io.godwit.server.StartFailed;
import io.godwit.server.command.AnsweringCommand;
import io.godwit.server.command.HelpOption;
import java.io.IOException;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * What an operator does with a store that no broker has open, and the copy of one that has. Exit
 * codes: 0 done, 1 not done or a problem was found (a sentence says why), 2 wrong arguments.
 */
@Command(
        name = "store",
        description =
                "Inspects, exports or repairs the store of a stopped broker; backs up that of a"
                        + " running one.",
        subcommands = {
            LookCommands.Info.class,
            LookCommands.Sessions.class,
            LookCommands.Peek.class,
            LookCommands.Verify.class,
            ExchangeCommands.Export.class,
            ExchangeCommands.Import.class,
            RepairCommands.Purge.class,
            RepairCommands.Aside.class,
            AsideCommand.class,
            BackupCommands.Backup.class,
            BackupCommands.Restore.class
        },
        synopsisSubcommandLabel = "COMMAND")
public final class StoreCommand implements Runnable {
    @Mixin HelpOption help = new HelpOption();

    @picocli.CommandLine.Spec private CommandLine.Model.@Nullable CommandSpec spec;

    @Override
    public void run() {
        if (spec != null) {
            throw new CommandLine.ParameterException(spec.commandLine(), "which command?");
        }
    }

    /** A command about a store. */
    abstract static class Each extends AnsweringCommand {
        @Mixin StoreFolder folder = new StoreFolder();

        abstract int run(PrintStream out)
                throws StartFailed, StoreUnusable, DiskFailure, IOException, InterruptedException;

        @Override
        protected final int answer(PrintStream out)
                throws StartFailed, IOException, InterruptedException {
            try {
                return run(out);
            } catch (StoreUnusable | DiskFailure e) {
                throw new StartFailed(String.valueOf(e.getMessage()), e);
            }
        }
    }
}
