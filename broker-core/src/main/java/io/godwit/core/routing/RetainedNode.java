package io.godwit.core.routing;

import io.godwit.core.message.Message;

/** A topic's place in the retained store; 32 bytes. Its key is the bytes of the message's topic. */
final class RetainedNode extends OrderedTopic {
    Message message;
    long version;

    RetainedNode(Message message, long version) {
        super(message.topic.bytes());
        this.message = message;
        this.version = version;
    }

    /**
     * Replaces the message, and the key too, so that only one copy of the topic's bytes is kept.
     */
    void replace(Message newer, long newerVersion) {
        message = newer;
        version = newerVersion;
        key = newer.topic.bytes();
    }
}
