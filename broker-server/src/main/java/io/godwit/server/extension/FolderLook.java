package io.godwit.server.extension;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Says what is in the folder of one extension.
 *
 * @param files descriptor and JARs, with size and time; equal when nothing has changed
 * @param settings {@code config.yaml}, as the files
 * @param isDisabled there is a file {@code DISABLED}
 */
record FolderLook(String files, String settings, boolean isDisabled) {
    static final String DISABLED = "DISABLED";
    private static final String TEMPORARY = ".tmp";
    private static final String JAR = ".jar";

    /**
     * Looks at the folders of all extensions, by name. A missing folder has none, and a folder with
     * neither a descriptor nor a JAR is none: such are the modules of the source tree.
     */
    static SortedMap<String, FolderLook> atAll(Path folder) throws IOException {
        SortedMap<String, FolderLook> all = new TreeMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path each : entries) {
                String name = String.valueOf(each.getFileName());
                if (!name.startsWith(".")
                        && !name.endsWith(TEMPORARY)
                        && Files.isDirectory(each)
                        && isExtension(each)) {
                    all.put(name, at(each));
                }
            }
        } catch (NoSuchFileException | NotDirectoryException e) {
            return Collections.emptySortedMap();
        } catch (UncheckedIOException e) { // As a stream of a folder throws it.
            throw e.getCause() == null ? new IOException(e) : e.getCause();
        }
        return all;
    }

    private static boolean isExtension(Path folder) throws IOException {
        return Files.exists(folder.resolve(Descriptor.FILE)) || !jars(folder).isEmpty();
    }

    /** Looks at the folder of one extension, which may go away meanwhile. */
    static FolderLook at(Path folder) throws IOException {
        List<String> files = new ArrayList<>();
        for (Path each : jars(folder)) {
            files.add(described(each));
        }
        files.add(described(folder.resolve(Descriptor.FILE)));
        return new FolderLook(
                String.join(" ", files),
                described(folder.resolve(SettingsReader.FILE)),
                Files.exists(folder.resolve(DISABLED)));
    }

    /** Returns the JARs in the folder, by name. */
    static List<Path> jars(Path folder) throws IOException {
        List<Path> jars = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder, "*" + JAR)) {
            entries.forEach(jars::add);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return List.of();
        }
        Collections.sort(jars);
        return jars;
    }

    private static String described(Path file) throws IOException {
        try {
            return file.getFileName()
                    + ":"
                    + Files.size(file)
                    + ":"
                    + Files.getLastModifiedTime(file);
        } catch (NoSuchFileException e) {
            return file.getFileName() + ":";
        }
    }
}
