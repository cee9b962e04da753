package io.godwit.core.auth.rules;

import io.godwit.core.packet.Topic;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Remembers what a connection may publish to its last topics. For one thread. */
final class AnswerMemo {
    /** Topics that are remembered; a further one takes the place of the oldest. */
    static final int TOPICS_MAX = 8;

    /** A longer topic is looked up each time. */
    static final int TOPIC_BYTES_MAX = 256;

    private static final int ALLOWED_SHIFT = 6;

    private @Nullable Topic[] topics = new Topic[1];
    private short[] answers = new short[1];
    private int next;

    /** Returns what is known about a PUBLISH. */
    enum Answer {
        UNKNOWN,
        ALLOWED,
        DENIED
    }

    /**
     * @param bit of the PUBLISH ({@link CompiledRule#publishBit})
     */
    Answer get(Topic topic, int bit) {
        int place = place(topic);
        if (place < 0 || (answers[place] & bit) == 0) {
            return Answer.UNKNOWN;
        }
        return (answers[place] & bit << ALLOWED_SHIFT) != 0 ? Answer.ALLOWED : Answer.DENIED;
    }

    void put(Topic topic, int bit, boolean isAllowed) {
        if (topic.length() > TOPIC_BYTES_MAX) {
            return;
        }
        int place = place(topic);
        if (place < 0) {
            place = newPlace();
            topics[place] = topic;
            answers[place] = 0;
        }
        answers[place] |= (short) (isAllowed ? bit | bit << ALLOWED_SHIFT : bit);
    }

    /** Looks for the same object first: a shard has one for each topic that is in use. */
    private int place(Topic topic) {
        for (int i = 0; i < topics.length; i++) {
            if (topics[i] == topic) {
                return i;
            }
        }
        for (int i = 0; i < topics.length; i++) {
            if (topic.equals(topics[i])) {
                topics[i] = topic;
                return i;
            }
        }
        return -1;
    }

    private int newPlace() {
        if (next == topics.length && next < TOPICS_MAX) {
            topics = Arrays.copyOf(topics, next * 2);
            answers = Arrays.copyOf(answers, next * 2);
        }
        if (next == topics.length) {
            next = 0;
        }
        return next++;
    }
}
