package io.godwit.cluster.simulation;

import io.godwit.cluster.transport.Endpoint;
import io.godwit.core.simulation.Scheduler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Pipes between processes as JGroups has them: in order, held back while a link is cut and brought
 * once it is healed; dropped when either side's view does not have the other. Views are told late,
 * and lie.
 */
final class Network {
    private static final int LATE_PERCENT = 30;
    private static final long NEVER_MS = -1_000_000;

    /** Frames from one process to another. */
    private final class Pipe {
        final Process from;
        final Process to;
        final ArrayDeque<byte[]> frames = new ArrayDeque<>();
        boolean isCut;
        boolean isHidden;
        int running;
        long lastMicros;

        Pipe(Process from, Process to) {
            this.from = from;
            this.to = to;
        }

        boolean isSeenCut() {
            return isCut && !isHidden;
        }

        /** Brings what waits, each frame after a delay, and none before the one in front of it. */
        void run() {
            if (isCut || to.isStopped()) {
                return; // Goes on when healed or woken.
            }
            for (; running < frames.size(); running++) {
                long delay = 50L + random.nextInt(delayMicros);
                lastMicros = Math.max(lastMicros, scheduler.micros() + delay);
                scheduler.in(lastMicros - scheduler.micros(), this::arrive);
            }
        }

        private void arrive() {
            running--;
            if (isCut || to.isStopped()) {
                return;
            }
            byte[] frame = frames.poll();
            if (frame != null) {
                bring(this, frame);
            }
            run();
        }

        /** The connection is closed: what is under way is lost, or comes when it should not. */
        void drop() {
            for (byte[] frame : frames) {
                lost(this, frame);
            }
            frames.clear();
        }
    }

    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final int delayMicros;
    private final Story story;
    private final Map<Endpoint, Process> processes = new LinkedHashMap<>();
    private final Map<List<Endpoint>, Pipe> pipes = new LinkedHashMap<>();
    private final Map<Endpoint, Set<Endpoint>> views = new LinkedHashMap<>();
    private final Map<List<Endpoint>, Long> disturbed = new LinkedHashMap<>();
    private final Map<List<Endpoint>, Long> cutSince = new LinkedHashMap<>();
    private boolean calm;

    Network(Scheduler scheduler, RandomGenerator random, int delayMicros, Story story) {
        this.scheduler = scheduler;
        this.random = random;
        this.delayMicros = delayMicros;
        this.story = story;
    }

    void join(Process process) {
        processes.put(process.endpoint(), process);
        views.put(process.endpoint(), new LinkedHashSet<>());
        changed();
    }

    /** It is gone at once; what it had sent may still arrive. */
    void gone(Process process) {
        processes.remove(process.endpoint());
        for (Pipe pipe : List.copyOf(pipes.values())) {
            if (pipe.to == process) {
                pipe.frames.clear();
            }
        }
        changed();
    }

    void send(Process from, Endpoint to, byte[] frame) {
        Process target = processes.get(to);
        if (target == null) {
            return;
        }
        Pipe pipe = pipe(from, target);
        if (!views.get(from.endpoint()).contains(to)) {
            lost(pipe, frame);
            return;
        }
        pipe.frames.add(frame);
        pipe.run();
    }

    private Pipe pipe(Process from, Process to) {
        return pipes.computeIfAbsent(
                List.of(from.endpoint(), to.endpoint()), key -> new Pipe(from, to));
    }

    private void bring(Pipe pipe, byte[] frame) {
        if (!processes.containsKey(pipe.to.endpoint())) {
            return;
        }
        if (!views.get(pipe.to.endpoint()).contains(pipe.from.endpoint())) {
            lost(pipe, frame);
            return;
        }
        pipe.to.listener().onFrame(pipe.from.endpoint(), frame, 0, frame.length);
    }

    private void lost(Pipe pipe, byte[] frame) {
        story.count(Happening.FRAME_LOST);
        disturb(pipe.from, pipe.to);
        if (!calm && random.nextInt(100) < LATE_PERCENT) {
            // Of a connection that was closed, by a way of its own: nobody may take it for new.
            scheduler.in(
                    random.nextInt(6_000_000),
                    () -> {
                        if (!pipe.to.isStopped()) {
                            story.count(Happening.FRAME_LATE);
                            bring(pipe, frame);
                        }
                    });
        }
    }

    /**
     * @param hidden whether the views never notice: whoever decides about them reaches both
     */
    void cut(Process from, Process to, boolean hidden) {
        pipe(from, to).isCut = true;
        pipe(from, to).isHidden = hidden;
        cutSince.putIfAbsent(List.of(from.endpoint(), to.endpoint()), scheduler.monotonicMs());
        disturb(from, to);
        changed();
    }

    void heal() {
        for (Pipe pipe : List.copyOf(pipes.values())) {
            if (pipe.isCut) {
                disturb(pipe.from, pipe.to);
                pipe.isCut = false;
                pipe.run();
            }
        }
        cutSince.clear();
        changed();
    }

    /** What was held back for a process that runs again goes on. */
    void woken(Process process) {
        for (Pipe pipe : List.copyOf(pipes.values())) {
            if (pipe.to == process) {
                pipe.run();
            }
        }
    }

    /** No more lies: views become what is so. */
    void calm() {
        calm = true;
        heal();
    }

    /** Something may go wrong between these two from now on, and did perhaps until now. */
    void disturb(Process a, Process b) {
        disturbed.put(List.of(a.endpoint(), b.endpoint()), scheduler.monotonicMs());
        disturbed.put(List.of(b.endpoint(), a.endpoint()), scheduler.monotonicMs());
    }

    /** The others may hear nothing of this one; what it hears of them is as it was. */
    void stopsOrWakes(Process process) {
        for (Process other : processes.values()) {
            disturbed.put(List.of(other.endpoint(), process.endpoint()), scheduler.monotonicMs());
        }
    }

    /** When the first last had a reason not to hear the other; far back: never. */
    long disturbedMs(Endpoint a, Endpoint b) {
        Process from = processes.get(a);
        Process to = processes.get(b);
        if (from == null || to == null || pipe(from, to).isCut || pipe(to, from).isCut) {
            return scheduler.monotonicMs();
        }
        return disturbed.getOrDefault(List.of(a, b), NEVER_MS);
    }

    /** Since when frames from one to the other have not arrived; Long.MAX_VALUE: they do. */
    long cutSinceMs(Endpoint from, Endpoint to) {
        return cutSince.getOrDefault(List.of(from, to), Long.MAX_VALUE);
    }

    /** Each process's view changes some time later, to what is so then or to a lie. */
    private void changed() {
        for (Process process : processes.values()) {
            scheduler.in(50_000 + random.nextInt(3_000_000), () -> look(process));
            scheduler.in(4_000_000 + random.nextInt(1_000_000), () -> look(process));
        }
    }

    private void look(Process process) {
        if (!processes.containsKey(process.endpoint()) || process.isStopped()) {
            return;
        }
        Set<Endpoint> view = new LinkedHashSet<>();
        for (Process other : processes.values()) {
            boolean reached =
                    other != process
                            && !other.isStopped()
                            && !pipe(process, other).isSeenCut()
                            && !pipe(other, process).isSeenCut();
            if (!calm && random.nextInt(10) == 0 && other != process) {
                story.count(Happening.VIEW_LIED);
                reached = !reached;
                changedLater(process);
            }
            if (reached) {
                view.add(other.endpoint());
            }
        }
        Set<Endpoint> before = views.put(process.endpoint(), view);
        for (Endpoint each : before) {
            Process other = processes.get(each);
            if (!view.contains(each) && other != null) {
                disturb(process, other);
                pipe(process, other).drop();
            }
        }
        process.listener().onEndpoints(view);
    }

    private void changedLater(Process process) {
        scheduler.in(500_000 + random.nextInt(2_000_000), () -> look(process));
    }

    void lookNow(Process process) {
        look(process);
    }

    List<Process> processes() {
        return new ArrayList<>(processes.values());
    }
}
