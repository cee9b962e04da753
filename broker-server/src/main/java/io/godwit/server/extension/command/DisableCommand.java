package io.godwit.server.extension.command;

import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code godwit extension disable ID}. */
@Command(
        name = "disable",
        description =
                "Stops an extension of the running broker, and keeps it from being started: makes a"
                        + " file DISABLED in its folder.")
final class DisableCommand extends ChangingCommand {
    @Option(
            names = "--force",
            description = "also one that is required; without it the broker is not ready")
    private boolean force;

    @Override
    String change() {
        return "disable" + (force ? "?force=true" : "");
    }
}
