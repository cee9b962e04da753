package io.godwit.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The rooms of core: imports run one way, and the picture of them is that of the code. */
class CoreRoomsTest {
    private static final String CORE = "io.godwit.core";
    private static final JavaClasses CLASSES = MainClasses.below(CORE);

    private static final String BEGIN = "<!-- imports of core: made by CoreRoomsTest -->\n";
    private static final String END = "<!-- end -->\n";

    /**
     * Classes of a room that depend on each other in a circle, at most. These numbers fall; a room
     * that is not named has no more than {@link #OTHERS}.
     */
    private static final Map<String, Integer> CYCLE_MAX =
            Map.of("session", 9, "index", 11, "queue", 6, "connection", 6);

    private static final int OTHERS = 4;

    @Test
    void no_arrow_between_the_rooms_runs_back() {
        assertThat(ImportGraph.ofPackages(CLASSES, CORE).largestCycle()).isEmpty();
    }

    @Test
    void within_a_room_few_classes_need_each_other() {
        for (String room : ImportGraph.ofPackages(CLASSES, CORE).names()) {
            assertThat(ImportGraph.within(CLASSES, CORE + "." + room).largestCycle())
                    .as("classes of %s in one circle", room)
                    .hasSizeLessThanOrEqualTo(CYCLE_MAX.getOrDefault(room, OTHERS));
        }
    }

    @Test
    void the_picture_in_the_architecture_page_is_that_of_the_code() throws IOException {
        Path page = repository().resolve("docs/architecture.md");
        String picture = ImportGraph.ofPackages(CLASSES, CORE).picture();
        String text = Files.readString(page);
        int from = text.indexOf(BEGIN) + BEGIN.length();
        int to = text.indexOf(END, from);
        if (Boolean.getBoolean("docs.write")) {
            Files.writeString(page, text.substring(0, from) + picture + text.substring(to));
        } else {
            assertThat(text.substring(from, to))
                    .as("the picture; -Ddocs.write=true makes it anew")
                    .isEqualTo(picture);
        }
    }

    private static Path repository() {
        Path at = Path.of("").toAbsolutePath();
        while (!Files.isDirectory(at.resolve("docs/decisions"))) {
            at = Objects.requireNonNull(at.getParent(), "outside of the source tree");
        }
        return at;
    }
}
