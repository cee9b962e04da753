package io.godwit.server.admin;

import org.jspecify.annotations.Nullable;

/**
 * What came of a request to forget a member of the cluster.
 *
 * @param server its server id; 0 when there is no such member
 * @param name of the member
 * @param refusal why it can't be forgotten; null when it was, or can be
 */
public record ForgetResult(int server, String name, @Nullable String refusal) {}
