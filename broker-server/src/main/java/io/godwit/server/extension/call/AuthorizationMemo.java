package io.godwit.server.extension.call;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Remembers for one connection what authorizers have answered, for as long as they said. A further
 * answer takes the place of the oldest. Any thread.
 */
final class AuthorizationMemo {
    static final int ANSWERS_MAX = 1_000;

    private final Map<Object, Remembered> answers = new LinkedHashMap<>();

    private record Remembered(Review.Authorized answer, long untilNanos) {}

    /** Returns the answer to a question; null: it has to be asked. */
    synchronized Review.@Nullable Authorized get(Object question, long nowNanos) {
        Remembered found = answers.get(question);
        if (found == null) {
            return null;
        }
        if (nowNanos - found.untilNanos >= 0) {
            answers.remove(question);
            return null;
        }
        return found.answer;
    }

    synchronized void put(Object question, Review.Authorized answer, long untilNanos) {
        answers.remove(question);
        if (answers.size() >= ANSWERS_MAX) {
            Iterator<Object> oldest = answers.keySet().iterator();
            oldest.next();
            oldest.remove();
        }
        answers.put(question, new Remembered(answer, untilNanos));
    }

    synchronized int size() {
        return answers.size();
    }
}
