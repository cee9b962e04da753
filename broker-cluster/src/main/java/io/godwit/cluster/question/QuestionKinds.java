package io.godwit.cluster.question;

import java.util.Arrays;

/** Tells kinds of questions apart by their first byte: each kind has an answerer of its own. */
public final class QuestionKinds implements Answerer {
    /** Names the asker of a question, and its subject. */
    public enum Kind {
        /** Extensions, about sessions. */
        EXTENSION,
        /** Shared groups, about what they were handing over. */
        HAND_OVERS
    }

    private final Answerer[] answerers = new Answerer[Kind.values().length];

    public QuestionKinds() {
        Arrays.fill(answerers, NONE);
    }

    /** Takes what answers one kind; until then its questions are refused. */
    public void answerer(Kind kind, Answerer of) {
        answerers[kind.ordinal()] = of;
    }

    /** Returns a question of a kind, as it goes to another node. */
    public static byte[] question(Kind kind, byte[] body) {
        byte[] question = new byte[body.length + 1];
        question[0] = (byte) kind.ordinal();
        System.arraycopy(body, 0, question, 1, body.length);
        return question;
    }

    @Override
    public void answer(byte[] question, Answer answer) {
        int kind = question.length == 0 ? -1 : question[0];
        if (kind < 0 || kind >= answerers.length) {
            answer.failed("it knows no such questions");
        } else {
            answerers[kind].answer(Arrays.copyOfRange(question, 1, question.length), answer);
        }
    }
}
