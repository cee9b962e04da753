package io.godwit.server.config;

import java.util.List;

/** Says in plain English what is wrong with a file that is not YAML. */
public final class YamlMistake {
    private YamlMistake() {}

    /**
     * Finds a line that is indented with a tab, near the one where the parser gave up.
     *
     * @param line counts from 1
     * @return 0 = none
     */
    public static int lineWithTab(String text, int line) {
        List<String> lines = text.lines().toList();
        for (int i = Math.min(line + 1, lines.size()); i >= Math.max(1, line - 1); i--) {
            String each = lines.get(i - 1);
            String indentation = each.substring(0, each.length() - each.stripLeading().length());
            if (indentation.indexOf('\t') >= 0) return i;
        }
        return 0;
    }

    /** The part of a parser's message that says what was wrong, without where it was reading. */
    public static String sentence(String message) {
        String last = "";
        for (String line : message.lines().toList()) {
            boolean isPlace = line.startsWith(" ") || line.startsWith("while ");
            if (!isPlace && !line.isBlank()) last = line;
        }
        return "is not YAML"
                + (last.isEmpty() ? "" : ": " + last)
                + "; look at the blanks in front of this line and the one above, and at colons and"
                + " quotes";
    }
}
