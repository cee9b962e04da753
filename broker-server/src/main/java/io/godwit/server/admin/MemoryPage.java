package io.godwit.server.admin;

import io.godwit.core.load.MemoryClass;
import io.godwit.core.load.NodeMemory;
import java.util.Arrays;
import java.util.stream.Collectors;

/** {@code GET /memory}: what the node's memory goes to, by class, as of the last tick. */
final class MemoryPage {
    static final String PATH = "/memory";

    private MemoryPage() {}

    static HttpAnswer answer(NodeMemory memory) {
        String classes =
                Arrays.stream(MemoryClass.values())
                        .map(each ->
                                "{\"class\":\"%s\",\"memory\":\"%s\",\"bytes\":%d,\"what\":\"%s\"}"
                                        .formatted(
                                                each.tag(),
                                                each.isHeap() ? "heap" : "direct",
                                                memory.account(each),
                                                each.meaning()))
                        .collect(Collectors.joining(",\n"));
        return HttpAnswer.json(
                "{\"alarm\":"
                        + memory.isAlarm()
                        + ",\"alarm-bytes\":"
                        + memory.accountedBytes()
                        + ",\"classes\":[\n"
                        + classes
                        + "]}\n");
    }
}
