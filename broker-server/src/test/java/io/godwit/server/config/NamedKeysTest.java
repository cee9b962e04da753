package io.godwit.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each key that a page for operators names is one; the other way round, see ShippedFileTest. */
class NamedKeysTest {
    private static final Pattern NAME =
            Pattern.compile(
                    "(?<![\\w/.-])(?:"
                            + Keys.ALL.stream()
                                    .map(key -> key.name().substring(0, key.name().indexOf('.')))
                                    .distinct()
                                    .collect(Collectors.joining("|"))
                            + ")\\.[a-z0-9-]+(?:\\.[a-z0-9-]+)*");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "README.md",
                "docs/chaos.md",
                "docs/cluster.md",
                "docs/durability.md",
                "docs/operations.md",
                "docs/overload.md",
                "docs/reliability.md",
                "docs/tls.md"
            })
    void every_key_that_a_page_names_is_known(String page) throws IOException {
        Set<String> named = new TreeSet<>();
        Matcher matcher = NAME.matcher(Files.readString(Path.of("..", page)));
        while (matcher.find()) {
            named.add(matcher.group());
        }
        named.removeIf(each -> each.endsWith(".md") || each.endsWith(".yaml"));
        assertThat(named).isNotEmpty().allMatch(NamedKeysTest::isKnown);
    }

    private static boolean isKnown(String name) {
        // limits.retained-* and the like.
        return name.endsWith("-") && Keys.ALL.stream().anyMatch(key -> key.name().startsWith(name))
                || KnownKeys.find(name).isPresent()
                || KnownKeys.find("listeners.x." + name).isPresent()
                || KnownKeys.isSection(name);
    }
}
