package io.godwit.cluster.stream;

import io.godwit.core.ack.Receipt;
import io.godwit.core.message.Message;
import io.godwit.core.packet.TopicFilter;

/**
 * A message of QoS 2 for shared groups of another node, which may have it and has not answered it.
 *
 * @param groups whole filters; not to be changed
 * @param receipt awaits the answer
 */
public record UnansweredForGroups(Message message, TopicFilter[] groups, Receipt receipt) {}
