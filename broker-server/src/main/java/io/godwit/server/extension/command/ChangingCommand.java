package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.command.AdminPort;
import io.godwit.server.command.AnsweringCommand;
import java.io.PrintStream;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** Has a running broker change one extension. */
abstract class ChangingCommand extends AnsweringCommand {
    @Parameters(paramLabel = "ID", description = "its id, as 'godwit extension list' shows it")
    private String id = "";

    @Mixin private BrokerOptions broker = new BrokerOptions();

    /** Returns what is to be done, as the path of the admin port ends. */
    abstract String change();

    @Override
    protected int answer(PrintStream out) throws StartFailed, InterruptedException {
        AdminPort port = broker.port();
        String path =
                "/extensions/" + URLEncoder.encode(id, StandardCharsets.UTF_8) + "/" + change();
        out.println(port.page(port.post(path, "change-extension"), "text").get("text").asText());
        return 0;
    }
}
