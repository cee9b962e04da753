package io.godwit.core.load;

import java.util.Arrays;
import java.util.Comparator;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs a line when an alarm rises, with its cause, and one when it ends. */
final class AlarmLog {
    private static final Logger LOG = LoggerFactory.getLogger(AlarmLog.class);

    /** How many classes are named as the cause. */
    private static final int CAUSES = 3;

    private AlarmLog() {}

    static void memoryShort(
            boolean raised, long bytes, long max, ToLongFunction<MemoryClass> account) {
        if (raised) {
            LOG.info(
                    "Memory is short: {} of overload.memory-bytes ({}) in use: {}. Publishers to"
                            + " the subscribers that hold most of it wait",
                    mib(bytes),
                    mib(max),
                    causes(account));
        } else {
            LOG.info("Memory is no longer short: {} in use ({})", mib(bytes), causes(account));
        }
    }

    static void memory(boolean raised, long bytes, long max, ToLongFunction<MemoryClass> account) {
        if (raised) {
            LOG.warn(
                    "Memory alarm: {} in use, above overload.memory-bytes ({}): {}. Publishers"
                            + " wait",
                    mib(bytes),
                    mib(max),
                    causes(account));
        } else {
            LOG.info("The memory alarm has ended: {} in use ({})", mib(bytes), causes(account));
        }
    }

    static void queues(boolean raised, long messages, long bytes) {
        if (raised) {
            LOG.warn(
                    "Queues alarm: all durable queues together hold {} messages, {}:"
                            + " queues.node-messages or queues.node-bytes is reached."
                            + " Publishers wait",
                    messages,
                    mib(bytes));
        } else {
            LOG.info("The queues alarm has ended: {} messages, {}", messages, mib(bytes));
        }
    }

    static void queueBound(boolean isLess, long messages, long bytes) {
        if (isLess) {
            LOG.warn(
                    "All durable queues together hold {} messages, {}: one queue may now hold only"
                            + " what is free below 90 % of queues.node-messages and"
                            + " queues.node-bytes; queues.policy decides about the rest",
                    messages, mib(bytes));
        } else {
            LOG.info(
                    "Durable queues may hold up to queues.messages and queues.bytes again:"
                            + " together they hold {} messages, {}",
                    messages,
                    mib(bytes));
        }
    }

    /** The classes that most is charged to, of those that the alarm counts, the largest first. */
    private static String causes(ToLongFunction<MemoryClass> account) {
        return Arrays.stream(MemoryClass.values())
                .filter(MemoryClass::isCounted)
                .sorted(Comparator.comparingLong(account).reversed())
                .limit(CAUSES)
                .map(each -> each.tag() + " " + mib(account.applyAsLong(each)))
                .collect(Collectors.joining(", "));
    }

    private static String mib(long bytes) {
        return (bytes >> 20) + " MiB";
    }
}
