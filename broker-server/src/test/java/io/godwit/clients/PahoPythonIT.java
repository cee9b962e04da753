package io.godwit.clients;

import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Eclipse Paho's Python client, through {@code src/test/python/exchange.py}. */
@Timeout(180)
class PahoPythonIT {
    @ParameterizedTest
    @Execution(ExecutionMode.CONCURRENT)
    @CsvSource({"31, TCP", "311, TCP", "5, TCP", "311, TLS", "5, WS", "5, WSS"})
    void paho_python_exchanges_everything(String protocol, Transport transport) {
        String python =
                Tool.require(
                                ScriptExchange.beside("python/.venv/bin/python"),
                                ScriptExchange.HOW_TO_GET)
                        .toString();
        ScriptExchange.run(
                List.of(python, ScriptExchange.beside("python/exchange.py").toString()),
                protocol,
                transport);
    }
}
