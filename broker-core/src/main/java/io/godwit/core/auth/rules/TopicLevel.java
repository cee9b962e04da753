package io.godwit.core.auth.rules;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One level of a topic pattern: a wildcard, or a text that may have placeholders in it. */
final class TopicLevel {
    private static final Piece[] NO_PIECES = {};

    static final TopicLevel PLUS = new TopicLevel("+", null, NO_PIECES);
    static final TopicLevel HASH = new TopicLevel("#", null, NO_PIECES);

    private final String text;
    private final byte @Nullable [] literal;

    /** None, if it is a literal. */
    private final Piece[] pieces;

    /** Stands for a value of the client. */
    enum Placeholder {
        CLIENT_ID,
        USER_NAME
    }

    /** A part of the level: bytes, or a placeholder. Exactly one of both is there. */
    private record Piece(byte[] bytes, @Nullable Placeholder placeholder) {}

    private TopicLevel(String text, byte @Nullable [] literal, Piece[] pieces) {
        this.text = text;
        this.literal = literal;
        this.pieces = pieces;
    }

    /**
     * Reads a level.
     *
     * @throws IllegalArgumentException says what is allowed
     */
    static TopicLevel of(String text) {
        if (text.equals("+")) {
            return PLUS;
        }
        if (text.equals("#")) {
            return HASH;
        }
        List<Piece> pieces = new ArrayList<>();
        StringBuilder literal = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char each = text.charAt(i);
            if (each == '+' || each == '#') {
                throw new IllegalArgumentException(
                        "+ and # are allowed only as whole levels, # as the last one");
            }
            if (each == '%') {
                i++;
                char kind = i < text.length() ? text.charAt(i) : ' ';
                if (kind == 'c' || kind == 'u') {
                    if (!literal.isEmpty()) pieces.add(new Piece(bytes(literal), null));
                    literal.setLength(0);
                    pieces.add(
                            new Piece(
                                    new byte[0],
                                    kind == 'c' ? Placeholder.CLIENT_ID : Placeholder.USER_NAME));
                    continue;
                } else if (kind != '%') {
                    throw new IllegalArgumentException(
                            "behind a percent sign c (the client id), u (the user name) and % are"
                                    + " allowed");
                }
            }
            literal.append(each);
        }
        if (pieces.isEmpty()) {
            return new TopicLevel("", bytes(literal), NO_PIECES);
        }
        if (!literal.isEmpty()) pieces.add(new Piece(bytes(literal), null));
        return new TopicLevel(text, null, pieces.toArray(Piece[]::new));
    }

    private static byte[] bytes(CharSequence text) {
        return text.toString().getBytes(StandardCharsets.UTF_8);
    }

    /** Returns the bytes of a level without placeholders; null: it has some, or is a wildcard. */
    byte @Nullable [] literal() {
        return literal;
    }

    boolean hasPlaceholder() {
        return pieces.length > 0;
    }

    /**
     * Whether a placeholder has no usable value.
     *
     * @param isFirst whether it is the first level of the topic
     */
    boolean isUnusable(PlaceholderValues values, boolean isFirst) {
        for (Piece each : pieces) {
            if (each.placeholder != null && values.get(each.placeholder) == null) {
                return true;
            }
        }
        return isFirst
                && pieces.length > 0
                && pieces[0].placeholder != null
                && beginsWithDollar(values);
    }

    /** Whether the text begins with {@code $}. Not for a level whose placeholders are unusable. */
    boolean beginsWithDollar(PlaceholderValues values) {
        if (literal != null) {
            return literal.length > 0 && literal[0] == '$';
        }
        for (Piece each : pieces) {
            byte[] part = bytes(each, values);
            if (part.length > 0) {
                return part[0] == '$';
            }
        }
        return false;
    }

    /** Whether these bytes are the text. Not for a level whose placeholders are unusable. */
    boolean matches(byte[] bytes, int from, int to, PlaceholderValues values) {
        if (literal != null) {
            return Arrays.equals(bytes, from, to, literal, 0, literal.length);
        }
        int at = from;
        for (Piece each : pieces) {
            byte[] part = bytes(each, values);
            if (to - at < part.length
                    || !Arrays.equals(bytes, at, at + part.length, part, 0, part.length)) {
                return false;
            }
            at += part.length;
        }
        return at == to;
    }

    private static byte[] bytes(Piece piece, PlaceholderValues values) {
        if (piece.placeholder == null) {
            return piece.bytes;
        }
        byte[] value = values.get(piece.placeholder);
        return value == null ? piece.bytes : value;
    }

    /** Returns a level with placeholders as it is written. */
    String text() {
        return text;
    }
}
