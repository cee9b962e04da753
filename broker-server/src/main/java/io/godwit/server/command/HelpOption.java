package io.godwit.server.command;

import picocli.CommandLine.Option;

/** What every command takes. None takes {@code --version}: {@code godwit version} says it. */
public final class HelpOption {
    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "shows this text")
    boolean isAsked;
}
