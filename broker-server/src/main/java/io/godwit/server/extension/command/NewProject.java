package io.godwit.server.extension.command;

import io.godwit.server.StartFailed;
import io.godwit.server.Version;
import io.godwit.server.config.ExtensionKeys;
import io.godwit.server.extension.ApiVersion;
import io.godwit.server.extension.ExtensionCheck;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Writes the project of a new extension from the templates in {@code project/}. In these {@code
 * @id@}, {@code @package@} and the like stand for values.
 */
final class NewProject {
    private static final Pattern PACKAGE = Pattern.compile("[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*");

    /** Parts that no package has; the JVM inside an archive has no compiler to ask. */
    private static final Pattern JAVA_WORD =
            Pattern.compile(
                    "abstract|assert|boolean|break|byte|case|catch|char|class|const|continue|default"
                            + "|do|double|else|enum|extends|false|final|finally|float|for|goto|if"
                            + "|implements|import|instanceof|int|interface|long|native|new|null"
                            + "|package|private|protected|public|return|short|static|strictfp|super"
                            + "|switch|synchronized|this|throw|throws|transient|true|try|void"
                            + "|volatile|while");

    private static final List<String> CLASSES =
            List.of("Main", "Settings", "PasswordAuthenticator", "SenderInterceptor");
    private static final List<String> TESTS =
            List.of("PasswordAuthenticatorTest", "SenderInterceptorTest", "BrokerTest");

    private final String packageName;
    private final Map<String, String> values;

    /**
     * @param sdk the folder that is a Maven repository with the API
     * @throws StartFailed the id or the package is not allowed, or there is no such folder
     */
    NewProject(String id, String packageName, Path sdk) throws StartFailed {
        if (!ExtensionKeys.isId(id)) {
            throw new StartFailed(
                    "--id = "
                            + id
                            + ": allowed: 1 to 64 small letters, digits and hyphens, with no hyphen first, and not users, rules or auto");
        }
        checkPackage(packageName);
        if (!Files.isDirectory(sdk)) {
            throw new StartFailed("there is no folder " + sdk + ": this is no whole installation");
        }
        this.packageName = packageName;
        this.values =
                Map.of(
                        "@id@",
                        id,
                        "@package@",
                        packageName,
                        "@version@",
                        Version.current(),
                        "@api@",
                        ApiVersion.OURS.toString(),
                        "@sdk@",
                        sdk.toUri().toString().replace("&", "&amp;"));
    }

    private static void checkPackage(String name) throws StartFailed {
        boolean isPackage =
                PACKAGE.matcher(name).matches()
                        && Stream.of(name.split("\\.", -1))
                                .noneMatch(part -> JAVA_WORD.matcher(part).matches());
        if (!isPackage) {
            throw new StartFailed(
                    "--package = "
                            + name
                            + ": allowed: names of small letters, digits and _ with dots between,"
                            + " none of them a word of Java, such as org.example.door");
        }
        if (!ExtensionCheck.canHaveClassesIn(name)) {
            throw new StartFailed(
                    "--package = "
                            + name
                            + ": classes of this package come from the broker or the JDK, not from"
                            + " an extension");
        }
    }

    /**
     * @throws StartFailed it is no folder, or not empty
     */
    void writeTo(Path folder) throws StartFailed, IOException {
        checkEmpty(folder);
        String path = packageName.replace('.', '/') + "/";
        for (String each : CLASSES) {
            write(each + ".java", folder.resolve("src/main/java/" + path + each + ".java"));
        }
        for (String each : TESTS) {
            write(each + ".java", folder.resolve("src/test/java/" + path + each + ".java"));
        }
        for (String each : List.of("extension.yaml", "config.sample.yaml")) {
            write(each, folder.resolve("src/main/folder/" + each));
        }
        write(
                "services",
                folder.resolve(
                        "src/main/resources/META-INF/services/io.godwit.extension.Extension"));
        for (String each : List.of("README.md", "pom.xml")) {
            write(each, folder.resolve(each));
        }
    }

    private static void checkEmpty(Path folder) throws StartFailed, IOException {
        if (!Files.exists(folder)) {
            return;
        }
        if (!Files.isDirectory(folder)) {
            throw new StartFailed(folder + " is a file; the project needs a new or empty folder");
        }
        try (Stream<Path> files = Files.list(folder)) {
            if (files.findAny().isPresent()) {
                throw new StartFailed(
                        folder + " is not empty; the project needs a new or empty folder");
            }
        }
    }

    private void write(String template, Path file) throws IOException {
        String text = read(template);
        for (Map.Entry<String, String> each : values.entrySet()) {
            text = text.replace(each.getKey(), each.getValue());
        }
        Files.createDirectories(file.resolveSibling("."));
        Files.writeString(file, text);
    }

    private static String read(String template) throws IOException {
        try (InputStream in = NewProject.class.getResourceAsStream("project/" + template)) {
            if (in == null) {
                throw new IllegalStateException("project/" + template + " is missing");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
