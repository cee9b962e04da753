package io.godwit.persistence;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.Collection;
import java.util.List;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.infra.IterationParams;
import org.openjdk.jmh.profile.InternalProfiler;
import org.openjdk.jmh.results.AggregationPolicy;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.ScalarResult;

/**
 * CPU time of the whole process per operation: a store works on threads of its own, and RocksDB on
 * others that the JVM does not know. {@code -prof io.godwit.persistence.ProcessCpu}.
 */
public final class ProcessCpu implements InternalProfiler {
    private final OperatingSystemMXBean system =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private long before;

    @Override
    public String getDescription() {
        return "CPU time of the process";
    }

    @Override
    public void beforeIteration(BenchmarkParams benchmark, IterationParams iteration) {
        before = system.getProcessCpuTime();
    }

    @Override
    public Collection<? extends Result<?>> afterIteration(
            BenchmarkParams benchmark, IterationParams iteration, IterationResult result) {
        double spent = system.getProcessCpuTime() - before;
        return List.of(
                new ScalarResult(
                        "process.cpu.norm",
                        spent / result.getMetadata().getAllOps() / 1e3,
                        "us/op",
                        AggregationPolicy.AVG));
    }
}
