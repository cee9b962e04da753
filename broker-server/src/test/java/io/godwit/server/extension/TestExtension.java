package io.godwit.server.extension;

import io.godwit.extension.Extension;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Builds the folder of an extension from source text, with the compiler of the JDK. */
public final class TestExtension {
    /** Where {@link #logging} has an extension write what happened to it. */
    public static final String LOG = "log.txt";

    private static final int CLASS_VERSION_AT = 6;

    private final String id;
    private final Map<String, String> sources = new LinkedHashMap<>();
    private final List<String> leftOut = new ArrayList<>();
    private final List<String> services = new ArrayList<>();
    private @Nullable String descriptor;
    private String version = "1.0";
    private String further = "";
    private int classVersion;

    private TestExtension(String id) {
        this.id = id;
    }

    /** Begins one without classes. */
    public static TestExtension called(String id) {
        return new TestExtension(id);
    }

    /**
     * Begins one whose main class runs statements at its start; {@code context} is there, and
     * {@code log} appends a line to {@link #LOG}.
     */
    public static TestExtension starting(String id, String statements) {
        return called(id).main("p.Main", mainSource(statements, "log(\"stop\");"));
    }

    /** Begins one that logs its start and its stop. */
    public static TestExtension logging(String id) {
        return starting(id, "log(\"start\");");
    }

    /** Returns the source of a main class {@code p.Main}. */
    public static String mainSource(String atStart, String atStop) {
        return """
        package p;
        import io.godwit.extension.*;
        import io.godwit.extension.auth.*;
        import io.godwit.extension.intercept.*;
        import io.godwit.extension.event.*;
        import java.nio.file.*;
        import java.time.Duration;
        import java.util.*;
        public class Main implements Extension {
            private ExtensionContext context;
            void log(String line) throws Exception {
                Files.writeString(context.info().folder().resolve("%s"), line + "\\n",
                        StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
            @Override public void start(ExtensionContext context) throws Exception {
                this.context = context;
                %s
            }
            @Override public void stop() throws Exception {
                %s
            }
        }
        """
                .formatted(LOG, atStart, atStop);
    }

    public TestExtension version(String next) {
        version = next;
        return this;
    }

    /** Adds a line to the descriptor. */
    public TestExtension says(String line) {
        further += line + "\n";
        return this;
    }

    /** Replaces the whole descriptor; null: there is none. */
    public TestExtension descriptor(@Nullable String text) {
        descriptor = text == null ? "" : text;
        return this;
    }

    public TestExtension source(String className, String text) {
        sources.put(className, text);
        return this;
    }

    /** Adds a class that the others are compiled against, and that is not in the JAR. */
    public TestExtension leftOut(String className, String text) {
        leftOut.add(className.replace('.', '/') + ".class");
        return source(className, text);
    }

    /** Adds a class that the services name. */
    public TestExtension main(String className, String text) {
        return source(className, text).service(className);
    }

    public TestExtension service(String className) {
        services.add(className);
        return this;
    }

    /** Has classes say that they are of a Java with this class-file version. */
    public TestExtension classVersion(int major) {
        classVersion = major;
        return this;
    }

    /** Writes the folder, with all that is in it; returns it. */
    public Path writeTo(Path extensions) {
        try {
            Path folder = Files.createDirectories(extensions.resolve(id));
            Files.write(folder.resolve(id + ".jar"), jar());
            String text = descriptor == null ? usualDescriptor() : descriptor;
            if (!text.isEmpty()) {
                Files.writeString(folder.resolve("extension.yaml"), text);
            }
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String usualDescriptor() {
        return "id: " + id + "\nversion: \"" + version + "\"\napi: \"0.1\"\n" + further;
    }

    /** Returns the JAR alone. */
    public byte[] jar() throws IOException {
        Path classes = Files.createTempDirectory("test-extension");
        try {
            compile(classes);
            Path jar = classes.resolve("made.jar");
            try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar))) {
                if (!services.isEmpty()) {
                    out.putNextEntry(
                            new JarEntry("META-INF/services/" + Extension.class.getName()));
                    out.write(String.join("\n", services).getBytes(StandardCharsets.UTF_8));
                }
                for (Path each : files(classes, ".class")) {
                    String name = classes.relativize(each).toString();
                    if (leftOut.contains(name)) {
                        continue;
                    }
                    out.putNextEntry(new JarEntry(name));
                    byte[] code = Files.readAllBytes(each);
                    if (classVersion > 0) {
                        code[CLASS_VERSION_AT] = (byte) (classVersion >> 8);
                        code[CLASS_VERSION_AT + 1] = (byte) classVersion;
                    }
                    out.write(code);
                }
            }
            return Files.readAllBytes(jar);
        } finally {
            for (Path each : files(classes, "")) {
                Files.delete(each);
            }
        }
    }

    private static List<Path> files(Path folder, String end) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(each -> each.toString().endsWith(end))
                    .sorted(Comparator.reverseOrder())
                    .toList();
        }
    }

    private void compile(Path classes) throws IOException {
        if (sources.isEmpty()) {
            return;
        }
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StringWriter mistakes = new StringWriter();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null)) {
            boolean isDone =
                    compiler.getTask(
                                    mistakes,
                                    files,
                                    null,
                                    List.of(
                                            "-d",
                                            classes.toString(),
                                            "-proc:none",
                                            "-nowarn",
                                            "--release",
                                            "21",
                                            "-cp",
                                            classPath()),
                                    null,
                                    sources.entrySet().stream()
                                            .map(each -> sourceFile(each.getKey(), each.getValue()))
                                            .toList())
                            .call();
            if (!isDone) {
                throw new IllegalStateException("does not compile: " + mistakes);
            }
        }
    }

    /** What an extension is compiled against: the API, slf4j, JSpecify and Micrometer. */
    private static String classPath() {
        return Stream.of(Extension.class, Logger.class, Nullable.class, MeterRegistry.class)
                .map(TestExtension::placeOf)
                .collect(Collectors.joining(System.getProperty("path.separator")));
    }

    private static String placeOf(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JavaFileObject sourceFile(String className, String text) {
        URI name = URI.create("string:///" + className.replace('.', '/') + ".java");
        return new SimpleJavaFileObject(name, JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
