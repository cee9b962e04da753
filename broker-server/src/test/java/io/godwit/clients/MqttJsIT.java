package io.godwit.clients;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** MQTT.js in Node, through {@code src/test/node/exchange.mjs}. */
@Timeout(180)
class MqttJsIT {
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"31, TCP", "311, TLS", "5, TLS", "311, WS", "5, WS", "5, WSS"})
    void mqtt_js_exchanges_everything(String protocol, Transport transport) {
        String node = Tool.require("node", "apt-get install nodejs npm");
        Tool.require(ScriptExchange.beside("node/node_modules/mqtt"), ScriptExchange.HOW_TO_GET);
        ScriptExchange.run(
                List.of(node, ScriptExchange.beside("node/exchange.mjs").toString()),
                protocol,
                transport);
    }
}
