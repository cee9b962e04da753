package io.godwit.cluster.question;

import io.godwit.cluster.transport.MessageType;
import io.godwit.cluster.transport.Outgoing;
import io.godwit.cluster.transport.TrafficClass;
import io.godwit.core.operation.ByteReader;
import io.godwit.core.operation.ByteWriter;

/**
 * Carries a question from one node to another, or its answer back.
 *
 * <pre>
 * question   number varint | body
 * answer     number varint | 1 body, or 0 text in UTF-8: it could not be answered
 * </pre>
 */
sealed interface QuestionMessage extends Outgoing {
    MessageType QUESTION = new MessageType(128, TrafficClass.QUESTIONS, "question");
    MessageType ANSWER = new MessageType(129, TrafficClass.QUESTIONS, "answer");

    /** A varint and a flag. */
    int HEAD_BYTES = 12;

    /**
     * A question.
     *
     * @param number among those of this start of the node that asks
     */
    record Question(long number, byte[] body) implements QuestionMessage {
        @Override
        public MessageType type() {
            return QUESTION;
        }

        @Override
        public int bytes() {
            return HEAD_BYTES + body.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(number).raw(body);
        }
    }

    /**
     * An answer.
     *
     * @param number of the question
     * @param body the answer, or a text that says why there is none
     */
    record Answer(long number, boolean isAnswered, byte[] body) implements QuestionMessage {
        @Override
        public MessageType type() {
            return ANSWER;
        }

        @Override
        public int bytes() {
            return HEAD_BYTES + body.length;
        }

        @Override
        public void write(ByteWriter to, int protocol) {
            to.varint(number).u8(isAnswered ? 1 : 0).raw(body);
        }
    }

    /**
     * Reads one.
     *
     * @throws IndexOutOfBoundsException it can't be read
     */
    static QuestionMessage read(MessageType type, ByteReader from) {
        long number = from.varint();
        return type.equals(QUESTION)
                ? new Question(number, from.rest())
                : new Answer(number, from.u8() == 1, from.rest());
    }
}
