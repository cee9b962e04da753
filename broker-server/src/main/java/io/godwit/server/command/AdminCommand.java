package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that prints what a page of a running broker's admin port says. */
abstract class AdminCommand extends AnsweringCommand {
    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Option(
            names = "--admin",
            paramLabel = "ADDRESS",
            description =
                    "admin port of the broker (port, host:port or URL), instead of"
                            + " admin.bind; it receives admin.token, if one is set")
    private @Nullable String admin;

    /** The page, such as {@code /memory}. */
    abstract String path();

    /** A field that the page has at its top. */
    abstract String field();

    /**
     * Prints the page.
     *
     * @return the exit code
     */
    abstract int print(JsonNode page, PrintStream out);

    @Override
    protected final int answer(PrintStream out)
            throws StartFailed, IOException, InterruptedException {
        AdminPort port = AdminPort.of(configuration.config(), admin);
        JsonNode page = port.page(port.get(path()), field());
        return print(page, out);
    }
}
