package io.godwit.cluster.question;

/** Hears what became of a question: one of both, once. */
public interface Reply {
    /** Takes the answer. */
    void onAnswer(byte[] body);

    /** Is told that there is none. */
    void onFailure(QuestionFailure failure);
}
