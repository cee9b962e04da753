package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.command.AnsweringCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code godwit extension new FOLDER}. */
@Command(
        name = "new",
        description =
                "Makes a project for Maven with an extension to begin with: an authenticator, an"
                        + " interceptor, settings and tests. Its README.md says how to go on.")
final class NewCommand extends AnsweringCommand {
    /** The folder of the installation that is a Maven repository with the API. */
    private static final String SDK = "godwit.sdk";

    @Parameters(paramLabel = "FOLDER", description = "where it is made: a new or empty folder")
    private Path folder = Path.of("");

    @Option(
            names = "--id",
            paramLabel = "ID",
            required = true,
            description = "the extension's id: 1 to 64 small letters, digits and hyphens")
    private String id = "";

    @Option(
            names = "--package",
            paramLabel = "PACKAGE",
            required = true,
            description = "the Java package of its classes, such as org.example.door")
    private String packageName = "";

    @Override
    protected int answer(PrintStream out) throws StartFailed, IOException {
        String sdk = System.getProperty(SDK);
        if (sdk == null) {
            throw new StartFailed("use the launcher: ./godwit extension new");
        }
        Path made = folder.toAbsolutePath().normalize();
        new NewProject(id, packageName, Path.of(sdk)).writeTo(made);
        out.println(
                "The project is in " + made + "; 'mvn verify' there makes target/" + id + ".zip");
        return 0;
    }
}
