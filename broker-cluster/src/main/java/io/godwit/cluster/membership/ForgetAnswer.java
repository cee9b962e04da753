package io.godwit.cluster.membership;

import org.jspecify.annotations.Nullable;

/**
 * What came of a request to forget a member.
 *
 * @param server its server id; 0 when there is no such member
 * @param name as it was asked for, or that of the member
 * @param refusal why it is not forgotten; null when it is, or could be
 */
public record ForgetAnswer(int server, String name, @Nullable String refusal) {
    static ForgetAnswer no(String name, String refusal) {
        return new ForgetAnswer(0, name, refusal);
    }

    static ForgetAnswer no(Member of, String refusal) {
        return new ForgetAnswer(of.server(), of.name(), refusal);
    }
}
