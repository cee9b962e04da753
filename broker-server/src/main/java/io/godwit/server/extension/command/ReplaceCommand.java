package io.godwit.server.extension.command;

import picocli.CommandLine.Command;

/** {@code godwit extension replace ID}. */
@Command(
        name = "replace",
        description =
                "Loads an extension of the running broker anew from its folder, with its settings;"
                        + " it takes the place of the old one when it has started.")
final class ReplaceCommand extends ChangingCommand {
    @Override
    String change() {
        return "replace";
    }
}
