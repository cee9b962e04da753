package io.godwit.extension.auth;

import io.godwit.extension.client.Client;
import io.godwit.extension.packet.Subscription;
import java.util.concurrent.CompletionStage;

/** Says whether clients may subscribe to what they subscribe to. */
@FunctionalInterface
public interface SubscribeAuthorizer {
    /** Begins the answer; it may come later, from any thread. */
    CompletionStage<Authorization> authorize(Client client, Subscription subscription)
            throws Exception;
}
