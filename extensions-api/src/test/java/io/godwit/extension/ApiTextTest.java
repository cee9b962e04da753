package io.godwit.extension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Compares the public API with what {@code api.txt} says: extensions that were compiled against it
 * go on working. To write what is new into the file: {@code mvn -pl extensions-api test
 * -Dapi.write=true}.
 */
class ApiTextTest {
    private static final Path FILE = Path.of("api.txt");
    private static final ApiText API = ApiText.ofPublicTypesBeside(Extension.class);

    @Test
    void api_is_what_the_file_says() throws IOException {
        ApiRecord now = new ApiRecord(projectVersion(), API.lines());
        if (Boolean.getBoolean("api.write")) {
            ApiRecord before = Files.exists(FILE) ? ApiRecord.read(FILE) : now;
            now.checkMayFollow(before);
            now.write(FILE);
        }
        ApiRecord recorded = ApiRecord.read(FILE);
        now.checkMayFollow(recorded);
        assertThat(now.lines())
                .as("what extensions see; write the file anew with -Dapi.write=true")
                .isEqualTo(recorded.lines());
    }

    @Test
    void api_exposes_types_of_the_jdk_and_meters_of_micrometer_only() {
        Predicate<String> isAllowed =
                Pattern.compile(
                                "(java|io\\.godwit\\.extension|org\\.jspecify\\.annotations"
                                        + "|io\\.micrometer\\.core\\.instrument)\\..*")
                        .asMatchPredicate();
        assertThat(API.mentioned()).allMatch(isAllowed);
        assertThat(API.mentioned())
                .contains("java.util.concurrent.CompletionStage", ExtensionInfo.class.getName());
    }

    @Test
    void line_that_is_gone_needs_a_new_major_version() {
        ApiRecord before = new ApiRecord("1.4.2", List.of("a: int x()", "b: int y()"));
        ApiRecord changed = new ApiRecord("1.5.0", List.of("a: long x()", "b: int y()"));

        assertThatThrownBy(() -> changed.checkMayFollow(before))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("a: int x()")
                .hasMessageNotContaining("b: int y()");
        new ApiRecord("2.0.0", changed.lines()).checkMayFollow(before);
        new ApiRecord("1.4.2", List.of("a: int x()", "b: int y()", "c")).checkMayFollow(before);
    }

    @Test
    void line_of_a_preview_may_change_without_a_new_major_version() {
        ApiRecord before = new ApiRecord("1.4.2", ApiText.of(Young.class, Old.class).lines());
        assertThat(before.lines())
                .containsExactlyInAnyOrder(
                        "io.godwit.extension.ApiTextTest.Young: interface @Preview",
                        "io.godwit.extension.ApiTextTest.Young: int count() @Preview",
                        "io.godwit.extension.ApiTextTest.Old: interface",
                        "io.godwit.extension.ApiTextTest.Old: int firm()",
                        "io.godwit.extension.ApiTextTest.Old: int soft() @Preview");
        List<String> left = List.of("io.godwit.extension.ApiTextTest.Old: interface");
        ApiRecord without = new ApiRecord("1.5.0", left);
        assertThatThrownBy(() -> without.checkMayFollow(before))
                .hasMessageContaining("firm()")
                .hasMessageNotContaining("soft()")
                .hasMessageNotContaining("Young");
        List<String> firm = new ArrayList<>(before.lines());
        firm.replaceAll(each -> each.replace(" @Preview", ""));
        ApiRecord finished = new ApiRecord("1.5.0", firm);
        finished.checkMayFollow(before);
        // Refuses to make a preview again of a line that was promised.
        assertThatThrownBy(() -> before.checkMayFollow(finished)).hasMessageContaining("soft()");
    }

    @Preview
    interface Young {
        int count();
    }

    interface Old {
        int firm();

        @Preview
        int soft();
    }

    @Test
    void before_version_1_lines_may_go() {
        new ApiRecord("0.1.0", List.of()).checkMayFollow(new ApiRecord("0.1.0", List.of("a")));
    }

    @Test
    void every_part_of_a_signature_is_written_down() {
        assertThat(ApiText.of(Sample.class, Sample.Part.class, Sample.Kind.class).lines())
                .containsExactlyInAnyOrder(
                        "io.godwit.extension.ApiTextTest.Sample:"
                                + " sealed interface<T extends Comparable<? super T>> extends"
                                + " AutoCloseable permits io.godwit.extension.ApiTextTest.Sample.Part",
                        "io.godwit.extension.ApiTextTest.Sample: static final int LIMIT = 7",
                        "io.godwit.extension.ApiTextTest.Sample: static final String MARK ="
                                + " \"\\u0000x\"",
                        "io.godwit.extension.ApiTextTest.Sample: <X extends Exception>"
                                + " java.util.List<? extends T> all(int[], @Nullable String...)"
                                + " throws java.io.IOException, X",
                        "io.godwit.extension.ApiTextTest.Sample: default void close()",
                        "io.godwit.extension.ApiTextTest.Sample.Part:"
                                + " record(@Nullable String name, java.util.List<@Nullable String>"
                                + " values) implements"
                                + " io.godwit.extension.ApiTextTest.Sample<String>",
                        "io.godwit.extension.ApiTextTest.Sample.Part:"
                                + " new(@Nullable String, java.util.List<@Nullable String>)",
                        "io.godwit.extension.ApiTextTest.Sample.Part: @Nullable String name()",
                        "io.godwit.extension.ApiTextTest.Sample.Part:"
                                + " java.util.List<@Nullable String> values()",
                        "io.godwit.extension.ApiTextTest.Sample.Part: <X extends Exception>"
                                + " java.util.List<String> all(int[], @Nullable String...)",
                        "io.godwit.extension.ApiTextTest.Sample.Kind: annotation",
                        "io.godwit.extension.ApiTextTest.Sample.Kind: boolean hidden() default"
                                + " false",
                        "io.godwit.extension.ApiTextTest.Sample.Kind: String text()");
    }

    private static String projectVersion() throws IOException {
        Matcher version =
                Pattern.compile("<version>([^<]+)</version>")
                        .matcher(Files.readString(Path.of("pom.xml")));
        assertThat(version.find()).isTrue();
        return version.group(1);
    }

    sealed interface Sample<T extends Comparable<? super T>> extends AutoCloseable {
        int LIMIT = 7;
        String MARK = "\0x";

        <X extends Exception> List<? extends T> all(int[] numbers, @Nullable String... texts)
                throws IOException, X;

        @Override
        default void close() {}

        record Part(@Nullable String name, List<@Nullable String> values)
                implements Sample<String> {
            @Override
            public <X extends Exception> List<String> all(
                    int[] numbers, @Nullable String... texts) {
                return List.of();
            }
        }

        @interface Kind {
            String text();

            boolean hidden() default false;
        }
    }
}
