package io.godwit.server.config;

/** How many characters must be inserted, removed or replaced (Levenshtein). */
final class EditDistance {
    /** One mistake for so many letters, and never more than the most. */
    private static final int LETTERS_EACH = 4;

    private static final int MOST = 3;

    private EditDistance() {}

    /** Returns whether one name is probably a mistyped other one. */
    static boolean isNear(String name, String known) {
        return between(name, known) <= Math.min(MOST, Math.max(1, name.length() / LETTERS_EACH));
    }

    static int between(String from, String to) {
        int[] row = new int[to.length() + 1];
        for (int j = 0; j <= to.length(); j++) row[j] = j;
        for (int i = 1; i <= from.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j <= to.length(); j++) {
                int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
                diagonal = row[j];
                row[j] = Math.min(replaced, Math.min(row[j], row[j - 1]) + 1);
            }
        }
        return row[to.length()];
    }
}
