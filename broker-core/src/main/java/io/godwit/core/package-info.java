/** MQTT itself. Start with {@code node.Broker}, which makes the shards of one node. */
@NullMarked
package io.godwit.core;

import org.jspecify.annotations.NullMarked;
