/**
 * Other people's MQTT clients against a running broker. Start with {@code ExchangeContract}, which
 * each Java library passes on each transport; {@code BrokerUnderTest} is the broker they talk to.
 */
@NullMarked
package io.godwit.clients;

import org.jspecify.annotations.NullMarked;
