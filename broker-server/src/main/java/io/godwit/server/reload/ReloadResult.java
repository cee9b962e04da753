package io.godwit.server.reload;

import java.util.Locale;

/**
 * Tells what came of reading something again.
 *
 * @param text what has changed, or which mistake kept the old state; empty when nothing changed
 */
public record ReloadResult(Kind kind, String text) {
    private static final ReloadResult UNCHANGED = new ReloadResult(Kind.UNCHANGED, "");

    /** How it ended. */
    public enum Kind {
        UNCHANGED,
        CHANGED,
        /** The old state stays. */
        FAILED;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public static ReloadResult unchanged() {
        return UNCHANGED;
    }

    public static ReloadResult changed(String what) {
        return new ReloadResult(Kind.CHANGED, what);
    }

    /**
     * @param mistake a sentence that names the file or key
     */
    public static ReloadResult failed(String mistake) {
        return new ReloadResult(Kind.FAILED, mistake);
    }

    @Override
    public String toString() {
        return switch (kind) {
            case UNCHANGED -> "unchanged";
            case CHANGED -> text;
            case FAILED -> "not changed: " + text;
        };
    }
}
