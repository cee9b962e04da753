package io.godwit.server.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.godwit.server.StartFailed;
import java.io.IOException;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.http.HttpResponse;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** A command that prints what a page of a running broker's admin port says. */
abstract class AdminCommand extends AnsweringCommand {
    @Mixin private ConfigChoice configuration = new ConfigChoice();

    @Option(
            names = "--admin",
            paramLabel = "HOST:PORT",
            description =
                    "admin port of the broker, instead of admin.bind; it receives"
                            + " admin.token, if one is set")
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
        AdminPort port = AdminPort.of(configuration.config(), admin);
        HttpResponse<String> answer;
        try {
            answer = port.get(path());
        } catch (ConnectException e) {
            throw new StartFailed("no broker answers at its admin port " + port.address(), e);
        }
        if (answer.statusCode() != 200) {
            System.err.print(answer.body());
            return 1;
        }
        return print(JsonMapper.builder().build().readTree(answer.body()), out);
    }
}
