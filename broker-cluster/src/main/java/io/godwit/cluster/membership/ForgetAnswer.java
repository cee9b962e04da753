package io.godwit.cluster.membership;

import org.jspecify.annotations.Nullable;

/**
 * What came of a request to forget a member.
 *
 * @param server its server id; 0 when there is no such member
 * @param name as it was asked for, or that of the member
 * @param sessions durable sessions that are known there, as far as first anchors know
 * @param refusal why it is not forgotten; null when it is, or could be
 */
public record ForgetAnswer(int server, String name, long sessions, @Nullable String refusal) {
    static ForgetAnswer no(String name, String refusal) {
        return new ForgetAnswer(0, name, 0, refusal);
    }

    static ForgetAnswer no(Member of, String refusal) {
        return new ForgetAnswer(of.server(), of.name(), 0, refusal);
    }
}
