package io.godwit.server.extension;

import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Holds copies of the JARs of a loaded extension: what happens to its folder does not change the
 * classes that it runs with.
 *
 * @param folder that only the copies are in
 */
record JarCopies(Path folder, List<URL> urls) {
    private static final Logger log = LoggerFactory.getLogger(JarCopies.class);

    /** Copies the JARs in a folder to a new one. */
    static JarCopies make(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        List<URL> urls = new ArrayList<>();
        for (Path each : FolderLook.jars(from)) {
            Path copy = to.resolve(String.valueOf(each.getFileName()));
            Files.copy(each, copy, StandardCopyOption.REPLACE_EXISTING);
            urls.add(copy.toUri().toURL());
        }
        return new JarCopies(to, urls);
    }

    void delete() {
        delete(folder);
    }

    /** Deletes a folder with all that is in it. */
    static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(each);
            }
        } catch (IOException | RuntimeException e) {
            log.warn("Copies of JARs in {} can't be deleted: {}", folder, e.toString());
        }
    }
}
