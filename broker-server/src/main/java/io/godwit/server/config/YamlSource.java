package io.godwit.server.config;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Reads a YAML file as a flat list of dotted keys with the lines where they stand. */
final class YamlSource {
    private static final int DEPTH_MAX = 16;
    private final Path file;
    private final String prefix;
    private final String text;
    private final YAMLParser parser;
    private final List<ConfigProblem> problems;
    private final Map<String, Assignment> found = new LinkedHashMap<>();

    private YamlSource(
            Path file,
            String prefix,
            String text,
            YAMLParser parser,
            List<ConfigProblem> problems) {
        this.file = file;
        this.prefix = prefix;
        this.text = text;
        this.parser = parser;
        this.problems = problems;
    }

    /** What could be read before the first mistake of syntax. */
    static List<Assignment> read(Path file, List<ConfigProblem> problems) {
        return read(file, "", problems);
    }

    /**
     * @param prefix stands in front of each key that is returned
     */
    static List<Assignment> read(Path file, String prefix, List<ConfigProblem> problems) {
        String text;
        try {
            text = Files.readString(file);
        } catch (IOException e) {
            problems.add(new ConfigProblem(file.toString(), "", null, reason(file, e)));
            return List.of();
        }
        try (YAMLParser parser = new YAMLFactory().createParser(text)) {
            YamlSource source = new YamlSource(file, prefix, text, parser, problems);
            source.document();
            return new ArrayList<>(source.found.values());
        } catch (IOException e) {
            String reason = "can't be read";
            problems.add(new ConfigProblem(file.toString(), "", null, reason));
            return List.of();
        }
    }

    private static String reason(Path file, IOException e) {
        if (Files.isDirectory(file)) return "is a folder";
        if (!Files.exists(file)) return "there is no such file";
        return switch (e) {
            case AccessDeniedException denied -> "can't be read: permission denied";
            case CharacterCodingException coding -> "is not a text in UTF-8";
            default -> "can't be read";
        };
    }

    private void document() throws IOException {
        try {
            JsonToken first = parser.nextToken();
            if (first == JsonToken.START_OBJECT) {
                mapping(prefix, 1);
                if (parser.nextToken() != null)
                    problem("", null, "a second document is not allowed");
            } else if (first != null && first != JsonToken.VALUE_NULL) {
                problem("", null, "must consist of lines like  key: value");
            }
        } catch (JsonProcessingException e) {
            int line = e.getLocation() == null ? 1 : e.getLocation().getLineNr();
            int tabbed = YamlMistake.lineWithTab(text, line);
            problems.add(
                    new ConfigProblem(
                            file + " line " + (tabbed > 0 ? tabbed : line),
                            "",
                            null,
                            tabbed > 0
                                    ? "begins with a tab; YAML is indented with blanks only"
                                    : YamlMistake.sentence(e.getOriginalMessage())));
        }
    }

    /** The parser stands at the mapping's start and then at its end. */
    private void mapping(String prefix, int depth) throws IOException {
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = prefix + parser.currentName();
            String where = where();
            JsonToken value = parser.nextToken();
            if (value == JsonToken.START_OBJECT && depth < DEPTH_MAX) {
                mapping(key + ".", depth + 1);
            } else if (value == JsonToken.START_OBJECT) {
                problem(key, null, "is nested too deeply");
                parser.skipChildren();
            } else if (value == JsonToken.START_ARRAY) {
                assign(key, list(key), where);
            } else if (parser.isCurrentAlias()) {
                problem(key, "*" + parser.getText(), "aliases are not supported");
            } else if (value != JsonToken.VALUE_NULL) {
                assign(key, parser.getText(), where);
            } else {
                leftEmpty(key, where);
            }
        }
    }

    /** {@code limits:} with nothing below it is fine; {@code mqtt.maximum-qos:} is not. */
    private void leftEmpty(String key, String where) {
        if (KnownKeys.find(key).isPresent()) {
            problems.add(new ConfigProblem(where, key, null, "has no value"));
        } else if (KnownKeys.listenerOf(key + ".").isPresent()) {
            problems.add(new ConfigProblem(where, key, null, "needs at least its type"));
        } else if (!KnownKeys.isSection(key)) {
            assign(key, "", where);
        }
    }

    private String list(String key) throws IOException {
        StringJoiner items = new StringJoiner(",");
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            if (parser.currentToken().isScalarValue()) {
                items.add(parser.getText());
            } else {
                problem(key, null, "a list may hold plain values only");
                parser.skipChildren();
            }
        }
        return items.toString();
    }

    private void assign(String key, String text, String where) {
        Assignment earlier = found.putIfAbsent(key, new Assignment(key, text, where));
        if (earlier != null) {
            problems.add(
                    new ConfigProblem(
                            where,
                            key,
                            KnownKeys.shown(key, text),
                            "stands there already: " + earlier.where()));
        }
    }

    private void problem(String key, @Nullable String value, String text) {
        problems.add(new ConfigProblem(where(), key, value, text));
    }

    private String where() {
        return file + " line " + parser.currentTokenLocation().getLineNr();
    }
}
