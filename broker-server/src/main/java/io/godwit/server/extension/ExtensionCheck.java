package io.godwit.server.extension;

import io.godwit.extension.ConfigurationException;
import io.godwit.extension.Setting;
import io.godwit.server.config.ExtensionsConfig;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Checks an extension without starting it: its descriptor, its main class, what its classes use of
 * the broker, and its settings.
 *
 * @param summary says which extension it is; empty when its descriptor can't be read
 * @param isRequired its descriptor or the configuration says so
 * @param mistakes sentences; empty: none was found
 * @param remarks sentences about what was not checked
 */
public record ExtensionCheck(
        String id,
        String summary,
        boolean isRequired,
        List<String> mistakes,
        List<String> remarks) {
    public ExtensionCheck {
        mistakes = List.copyOf(mistakes);
        remarks = List.copyOf(remarks);
    }

    /**
     * Returns whether an extension can have classes in a package: those of some packages come from
     * the broker or the JDK only.
     */
    public static boolean canHaveClassesIn(String packageName) {
        String prefix = packageName + ".";
        return !prefix.startsWith("java.") && !ExtensionLoader.isShared(prefix);
    }

    /**
     * Checks the extension in a folder.
     *
     * @param id that it has to have
     * @param config how the broker's configuration would have it run
     */
    public static ExtensionCheck of(Path folder, String id, ExtensionsConfig.OfOne config) {
        Descriptor descriptor;
        try {
            descriptor = Descriptor.read(folder, id);
        } catch (NotLoaded e) {
            return new ExtensionCheck(
                    id, "", config.required(), List.of(String.valueOf(e.getMessage())), List.of());
        }
        String summary = id + " " + descriptor.info().version();
        List<String> mistakes = new ArrayList<>();
        List<String> remarks = new ArrayList<>();
        try {
            ExtensionThreads.of(config, descriptor);
        } catch (NotLoaded e) {
            mistakes.add(String.valueOf(e.getMessage()));
        }
        try {
            List<Path> jars = FolderLook.jars(folder);
            if (jars.isEmpty()) {
                mistakes.add("there is no JAR in " + folder);
            } else {
                check(folder, id, config, summary, jars, mistakes, remarks);
            }
        } catch (IOException e) {
            mistakes.add("its JARs can't be read: " + Throwables.text(e));
        }
        boolean isRequired = config.required() || descriptor.required();
        return new ExtensionCheck(id, summary, isRequired, mistakes, remarks);
    }

    /**
     * Checks all that a start would start.
     *
     * @throws IOException the folder can't be read
     */
    public static List<ExtensionCheck> ofAll(ExtensionsConfig config) throws IOException {
        List<ExtensionCheck> all = new ArrayList<>();
        for (Map.Entry<String, FolderLook> each : FolderLook.atAll(config.folder()).entrySet()) {
            ExtensionsConfig.OfOne one = config.of(each.getKey());
            if (one.runs(each.getValue().isDisabled())) {
                all.add(of(config.folder().resolve(each.getKey()), each.getKey(), one));
            }
        }
        return all;
    }

    private static void check(
            Path folder,
            String id,
            ExtensionsConfig.OfOne config,
            String name,
            List<Path> jars,
            List<String> mistakes,
            List<String> remarks)
            throws IOException {
        List<URL> urls = new ArrayList<>();
        for (Path each : jars) {
            urls.add(each.toUri().toURL());
        }
        try (ExtensionLoader loader = new ExtensionLoader(name, urls)) {
            try {
                MainClass.find(loader);
            } catch (NotLoaded e) {
                mistakes.add(String.valueOf(e.getMessage()));
            }
            List<ClassCode> classes = ClassCode.ofJars(jars);
            mistakes.addAll(new ApiReferences(classes, loader).mistakes());
            settings(
                    new SettingsReader(id, folder, config.settings()),
                    classes,
                    loader,
                    mistakes,
                    remarks);
        }
    }

    /** The record is passed at the start only; here it is the one whose components are settings. */
    private static void settings(
            SettingsReader reader,
            List<ClassCode> classes,
            ExtensionLoader loader,
            List<String> mistakes,
            List<String> remarks) {
        List<Class<? extends Record>> records = new ArrayList<>();
        for (ClassCode each : classes) {
            if (each.superName().equals("java/lang/Record")) {
                addSettings(each.className(), loader, records);
            }
        }
        Set<Class<?>> inner = new HashSet<>();
        for (Class<? extends Record> each : records) {
            Stream.of(each.getRecordComponents()).forEach(part -> inner.add(part.getType()));
        }
        records.removeIf(inner::contains);
        if (records.size() > 1) {
            remarks.add(
                    "its settings were not checked: there are several records of them, "
                            + records.stream().map(Class::getName).sorted().toList());
            return;
        }
        try {
            if (!records.isEmpty()) {
                reader.read(records.getFirst());
            }
        } catch (ConfigurationException e) {
            mistakes.addAll(e.mistakes());
        } catch (IllegalArgumentException | LinkageError e) {
            mistakes.add(Throwables.text(e));
        }
    }

    private static void addSettings(
            String name, ExtensionLoader loader, List<Class<? extends Record>> records) {
        try {
            Class<? extends Record> type =
                    Class.forName(name, false, loader).asSubclass(Record.class);
            RecordComponent[] parts = type.getRecordComponents();
            if (parts.length > 0
                    && Stream.of(parts).allMatch(part -> part.isAnnotationPresent(Setting.class))) {
                records.add(type);
            }
        } catch (ClassNotFoundException | LinkageError e) {
            // What it uses is not there: it is a record of some library.
        }
    }
}
