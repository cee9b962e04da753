package io.godwit.extension;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The API of one version.
 *
 * @param version that the lines are of
 * @param lines one for each public type and member
 */
record ApiRecord(String version, List<String> lines) {
    /** Ends the line of what may change, or go, without a new major version. */
    static final String PREVIEW = " @Preview";

    private static final String HEAD = "# API of version ";

    static ApiRecord read(Path file) throws IOException {
        List<String> all = Files.readAllLines(file);
        assertThat(all.get(0)).startsWith(HEAD);
        return new ApiRecord(all.get(0).substring(HEAD.length()), all.subList(1, all.size()));
    }

    void write(Path file) throws IOException {
        List<String> all = new ArrayList<>();
        all.add(HEAD + version);
        all.addAll(lines);
        Files.write(file, all);
    }

    /** Fails if something is gone that extensions may use, and the major version has not risen. */
    void checkMayFollow(ApiRecord before) {
        if (major() == 0 || major() > before.major()) {
            return;
        }
        List<String> gone = new ArrayList<>(before.lines);
        gone.removeAll(lines);
        gone.removeIf(each -> each.endsWith(PREVIEW));
        assertThat(gone)
                .as("gone or changed since %s; that needs a new major version", before.version)
                .isEmpty();
    }

    private int major() {
        return Integer.parseInt(version.substring(0, version.indexOf('.')));
    }
}
