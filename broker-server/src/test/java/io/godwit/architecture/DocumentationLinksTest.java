package io.godwit.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Follows each link between the pages of the repository to a file, and to a heading in it. */
class DocumentationLinksTest {
    private static final Pattern LINK = Pattern.compile("]\\(([^)\\s#]*)(?:#([^)\\s]+))?\\)");
    private static final Pattern NOT_IN_ANCHORS = Pattern.compile("[^\\p{L}\\p{N}_ -]");

    private final Path repository = repository();

    @Test
    void links_between_pages_lead_to_files_and_headings() throws IOException {
        List<String> broken = new ArrayList<>();
        for (Path page : pages()) {
            var links = LINK.matcher(Files.readString(page));
            while (links.find()) {
                String path = links.group(1);
                if (path.contains("://") || path.startsWith("mailto:")) {
                    continue;
                }
                Path target = path.isEmpty() ? page : page.resolveSibling(path).normalize();
                String anchor = links.group(2);
                if (!Files.exists(target)
                        || (anchor != null && !anchors(target).contains(anchor))) {
                    broken.add(repository.relativize(page) + ": " + links.group());
                }
            }
        }
        assertThat(broken).isEmpty();
    }

    private List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.walk(repository.resolve("docs"))) {
            Stream<Path> top = Stream.of("README.md", "CHANGELOG.md").map(repository::resolve);
            return Stream.concat(top, docs.filter(file -> file.toString().endsWith(".md")))
                    .toList();
        }
    }

    /** The anchors that a reader of Markdown derives from the headings of a page. */
    private static Set<String> anchors(Path page) throws IOException {
        return Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ +", "").toLowerCase(Locale.ROOT))
                .map(heading -> NOT_IN_ANCHORS.matcher(heading).replaceAll("").replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static Path repository() {
        Path folder = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(folder.resolve("docs/decisions"))) {
            folder = Objects.requireNonNull(folder.getParent(), "outside of the source tree");
        }
        return folder;
    }
}
