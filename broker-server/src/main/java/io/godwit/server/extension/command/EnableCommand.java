package io.godwit.server.extension.command;

import picocli.CommandLine.Command;

/** {@code godwit extension enable ID}. */
@Command(
        name = "enable",
        description =
                "Has an extension of the running broker run, now and after each start: deletes the"
                        + " file DISABLED in its folder.")
final class EnableCommand extends ChangingCommand {
    @Override
    String change() {
        return "enable";
    }
}
