package io.godwit.benchmarks.load;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One round with one broker: a part at full speed (unless the scenario has a fixed rate) and a part
 * at the offered rate.
 *
 * @param cpuMicros CPU time of the broker's processes per delivered message
 * @param kernelShare of the broker's CPU time
 * @param brokerBusy cores that the broker used
 * @param othersBusy cores that neither broker nor load program used: neighbours who disturb
 * @param offered messages a second, all publishers together, of the part at the offered rate; 0 =
 *     there was none
 * @param p99Micros of the part at the offered rate
 * @param delivered messages of the part at full speed
 * @param store what the stores of all brokers did in the part at full speed
 * @param loss share of the messages that did not arrive, the worse of the two parts
 */
public record Round(
        double cpuMicros,
        double kernelShare,
        double perSecond,
        double brokerBusy,
        double loadBusy,
        double othersBusy,
        double offered,
        double p99Micros,
        double loss,
        long repeated,
        long delivered,
        StoreUse store,
        @Nullable String fault) {
    private static final double LOAD_BUSY_LIMIT = 0.9;
    private static final long OWN_PID = ProcessHandle.current().pid();

    /**
     * @param messages to send at full speed
     * @param rate messages a second of the part at the offered rate, all publishers together; 0 =
     *     without that part
     */
    static Round run(Scenario scenario, Site site, long messages, double rate, Options options)
            throws IOException {
        try (Workload workload = Workload.open(scenario, site.placement())) {
            Metrics storeBefore = site.metrics();
            long othersBefore = ProcFs.machineCpuMicros() - ProcFs.cpuMicros(OWN_PID);
            long kernelBefore = site.kernelMicros();
            long cpuBefore = site.cpuMicros();
            PartResult main =
                    scenario.fixedRate() > 0
                            ? workload.paced(rate, options.number("seconds"))
                            : workload.flood(messages);
            long cpu = site.cpuMicros() - cpuBefore;
            long kernel = site.kernelMicros() - kernelBefore;
            long others =
                    ProcFs.machineCpuMicros() - ProcFs.cpuMicros(OWN_PID) - othersBefore - cpu;
            StoreUse store = StoreUse.between(storeBefore, site.metrics());
            boolean twoParts = scenario.fixedRate() == 0 && rate > 0 && main.fault() == null;
            PartResult paced =
                    twoParts ? workload.paced(rate, options.number("latency-seconds")) : main;
            return new Round(
                    (double) cpu / Math.max(1, main.delivered()),
                    (double) kernel / Math.max(1, cpu),
                    main.perSecond(),
                    cpu * 1e3 / main.elapsedNanos(),
                    main.loadBusy(),
                    Math.max(0, others) * 1e3 / main.elapsedNanos(),
                    rate,
                    paced.latency().getValueAtPercentile(99) / 1e3,
                    Math.max(main.loss(), paced.loss()),
                    main.repeated() + (twoParts ? paced.repeated() : 0),
                    main.delivered(),
                    store,
                    main.fault() == null ? paced.fault() : main.fault());
        }
    }

    /** Returns the share of delivered messages whose append never reached the disk, 0 to 1. */
    public double cancelledAppends() {
        return 1 - store.appends() / Math.max(1, delivered);
    }

    /**
     * True when the load's thread had no time left while the broker still had: below nine tenths of
     * a core it was not what held the messages up.
     */
    boolean loadWasBottleneck() {
        return loadBusy >= LOAD_BUSY_LIMIT && brokerBusy < LOAD_BUSY_LIMIT;
    }
}
