package io.godwit.benchmarks.load;

import java.io.IOException;

/** A broker in a scenario, and how many messages fill a round with it. */
public final class Contestant {
    /** Messages of the first attempt to learn the broker's speed; it grows from there. */
    private static final long FIRST_MESSAGES = 2_000;

    private static final double CALIBRATION_SECONDS = 0.5;

    private final Scenario scenario;
    private final Site site;
    private final Options options;
    private long messages;
    private double deliveredPerSecond;

    Contestant(Scenario scenario, BrokerProcess broker, Options options) {
        this(scenario, Site.of(broker), options);
    }

    public Contestant(Scenario scenario, Site site, Options options) {
        this.scenario = scenario;
        this.site = site;
        this.options = options;
        messages = Math.max(20, FIRST_MESSAGES / scenario.subscribersEach());
    }

    public String name() {
        return site.name();
    }

    /** The first of its nodes. */
    BrokerProcess broker() {
        return site.nodes().get(0);
    }

    /** Begins with what another one has found out. */
    public void startAs(Contestant other) {
        messages = other.messages;
    }

    /**
     * @param rate of the part at an even rate; 0 = without that part
     */
    public Round round(String title, double rate) throws IOException {
        site.requireAlive();
        Round round = Round.run(scenario, site, messages, rate, options);
        if (round.fault() == null) {
            deliveredPerSecond = round.perSecond();
            messages = Math.max(20, Math.round(published() * options.number("seconds")));
        }
        Report.progress(scenario.name(), title, site.name(), round);
        return round;
    }

    /** Finds out how many messages a round takes. */
    public void calibrate() throws IOException {
        if (scenario.fixedRate() > 0) {
            round("warm-up", scenario.fixedRate());
            return;
        }
        double seconds = 0;
        while (seconds < CALIBRATION_SECONDS) {
            long sent = messages;
            String fault = round("warm-up", 0).fault();
            if (fault != null) throw new IOException(site.name() + ": " + fault);
            seconds = sent / published();
            if (seconds < CALIBRATION_SECONDS) messages = sent * 8;
        }
    }

    /** Messages a second of the last round, before they are multiplied by subscribers. */
    public double published() {
        return deliveredPerSecond / scenario.subscribersEach();
    }
}
