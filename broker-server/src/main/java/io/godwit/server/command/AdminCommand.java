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
            paramLabel = "HOST:PORT",
            description = "of the broker, instead of admin.bind")
    private @Nullable String admin;

    /** The page, such as {@code /memory}. */
    abstract String path();

    /**
     * @return the exit code
     */
    abstract int print(JsonNode page, PrintStream out);

    @Override
    protected final int answer(PrintStream out)
            throws StartFailed, IOException, InterruptedException {
        String address = admin == null ? AdminAddress.of(configuration.config()) : admin;
        JsonNode page = AdminPage.get(address, path());
        return page == null ? 1 : print(page, out);
    }
}
