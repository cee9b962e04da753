package io.godwit.cluster.routes;

import io.godwit.cluster.publish.ShardStreams;
import io.godwit.cluster.publish.SwitchOvers;
import io.godwit.cluster.stream.OutStream;
import io.godwit.cluster.stream.StreamRecord;
import io.godwit.cluster.stream.StreamRule;
import io.godwit.cluster.stream.StreamRules;
import io.godwit.core.index.FilterSpread;
import io.godwit.core.message.Digest;
import io.godwit.core.packet.TopicFilter;
import io.godwit.core.routing.GroupState;
import io.godwit.core.routing.TopicIndex;
import io.godwit.core.shard.PauseWatch;
import io.godwit.core.shard.Sliced;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The filters that somebody of this node has, told to every other node, and theirs. On the shard
 * that owns the topic index.
 *
 * <p>Changes of a turn leave as one record to each node, which answers when it routes by them: a
 * SUBACK waits for the nodes that are heard. A node that knows nothing of this start gets all of
 * them first; what it knew of an earlier start stays until then. So does one that is away, or slow,
 * while more changes than there are filters.
 */
public final class NodeRoutes implements FilterSpread, SwitchOvers.Filters {
    /** Filters of one record. */
    private static final int PAGE = 500;

    /** Filters of a node that is forgotten which leave the index in one slice. */
    static final int SLICE = 200;

    /** Bytes of one of this node's own filters with its place, beside the subscription's. */
    private static final long OWN_BYTES = 50;

    /** Bytes of changes that may wait for a node beside those of all filters. */
    private static final long CHANGES_BYTES = 1 << 20;

    private final StreamRules rules;
    private final PauseWatch pauses;
    private final Map<TopicFilter, GroupState> own = new LinkedHashMap<>();
    private final FilterDigest ownDigest = new FilterDigest();

    private final Map<Integer, PeerFilters> peers = new HashMap<>();

    /** By node: position of the last record about filters. */
    private final Map<Integer, Long> told = new HashMap<>();

    /** By node: bytes of changes since all filters were told, or everything was answered. */
    private final Map<Integer, Long> changesBytes = new HashMap<>();

    /** Bytes of the filters of {@link #own}. */
    private long ownBytes;

    /** By node that nothing was heard of when it asked: its last question. */
    private final Map<Integer, Long> asked = new HashMap<>();

    /** Members whose filters are not known since this start. */
    private final Set<Integer> unknown = new TreeSet<>();

    /** By node: position of the last question for filters of members, and of the last answer. */
    private final Map<Integer, Long> askedForAway = new HashMap<>();

    private final Map<Integer, Long> toldAway = new HashMap<>();

    private final List<Runnable> whenCaughtUp = new ArrayList<>(0);

    private final List<TopicFilter> changed = new ArrayList<>();
    private final List<GroupState> states = new ArrayList<>();
    private @Nullable ShardStreams streams;
    private @Nullable TopicIndex index;
    private Runnable whenTurnEnds = () -> {};
    private Consumer<Sliced> slices = task -> {};
    private LongConsumer account = change -> {};

    /** Server ids of nodes that are forgotten and whose filters are going. */
    private final Set<Integer> forgetting = new LinkedHashSet<>(0);

    /** Server ids of nodes that are gone, and whose slots others lead. */
    private final Set<Integer> settled = new HashSet<>(0);

    public NodeRoutes(StreamRules rules, PauseWatch pauses) {
        this.rules = rules;
        this.pauses = pauses;
    }

    /**
     * Called once, before anything else.
     *
     * @param whenTurnEnds asks for {@link #tellChanges} at the end of the turn
     * @param slices takes what is done slice by slice
     * @param account told by how many bytes what is here has changed
     */
    public void attach(
            ShardStreams toOthers,
            TopicIndex topics,
            Runnable whenTurnEnds,
            Consumer<Sliced> slices,
            LongConsumer account) {
        this.streams = toOthers;
        this.index = topics;
        this.whenTurnEnds = whenTurnEnds;
        this.slices = slices;
        this.account = account;
    }

    private ShardStreams streams() {
        return Objects.requireNonNull(streams);
    }

    // ---------------------------------------------------------------- this node's own

    @Override
    public void onSessions(TopicFilter filter, GroupState state) {
        onGroup(filter, state);
    }

    @Override
    public void onGroup(TopicFilter filter, GroupState state) {
        GroupState before = own.getOrDefault(filter, GroupState.NONE);
        if (before.equals(state)) {
            return;
        }
        if (!before.isNone()) {
            ownDigest.remove(filter, before);
            ownBytes -= filter.length();
            account.accept(-OWN_BYTES);
        }
        if (state.isNone()) {
            own.remove(filter);
        } else {
            own.put(filter, state);
            ownDigest.add(filter, state);
            ownBytes += filter.length();
            account.accept(OWN_BYTES);
        }
        change(filter, state);
    }

    private void change(TopicFilter filter, GroupState state) {
        if (streams == null || streams.servers().isEmpty()) {
            return; // Whoever comes gets them all.
        }
        if (changed.isEmpty()) {
            whenTurnEnds.run();
        }
        changed.add(filter);
        states.add(state);
        if (changed.size() == PAGE) {
            tellChanges();
        }
    }

    @Override
    public void tellChanges() {
        if (changed.isEmpty()) {
            return;
        }
        StreamRecord record = changes(changed, states);
        changed.clear();
        states.clear();
        for (int server : streams().servers()) {
            boolean isAnswered =
                    streams().shared(server).isAnsweredAlone(told.getOrDefault(server, 0L));
            long bytes = isAnswered ? 0 : changesBytes.getOrDefault(server, 0L);
            told.put(server, tell(server, record));
            changesBytes.put(server, bytes + record.bytes());
            if (bytes > ownBytes + CHANGES_BYTES) {
                tellAll(server, true); // It has to be told less than all that has changed.
            }
        }
    }

    private static StreamRecord changes(List<TopicFilter> filters, List<GroupState> states) {
        return new StreamRecord.FilterChanges(
                filters.toArray(new TopicFilter[0]), states.toArray(new GroupState[0]));
    }

    private long tell(int server, StreamRecord record) {
        return streams().shared(server).add(record, null, false, false, false);
    }

    @Override
    public void whenKnown(Runnable task) {
        if (streams == null || !rules.holds(StreamRule.SUBACK_WAITS_FOR_ROUTES)) {
            task.run();
            return;
        }
        tellChanges();
        List<Integer> servers = new ArrayList<>(streams().servers());
        whenKnown(servers, 0, task);
    }

    private void whenKnown(List<Integer> servers, int from, Runnable task) {
        for (int i = from; i < servers.size(); i++) {
            OutStream stream = streams().shared(servers.get(i));
            long position = told.getOrDefault(servers.get(i), 0L);
            if (!stream.isAnsweredAlone(position) && !stream.isAway()) {
                int next = i + 1;
                stream.whenAnsweredAlone(position, () -> whenKnown(servers, next, task));
                return;
            }
        }
        if (pauses.isBehind()) {
            whenCaughtUp.add(() -> whenKnown(task)); // Who is not heard may be heard again soon.
        } else {
            task.run();
        }
    }

    /** A start of a node knows nothing of this one: it gets all filters. */
    public void onNewStart(int server) {
        asked.remove(server);
        tellAll(server, false);
    }

    /**
     * @param answers whether what it has asked, if anything, is still to be answered
     */
    private void tellAll(int server, boolean answers) {
        tellChanges();
        OutStream stream = streams().shared(server);
        List<StreamRecord> answered = new ArrayList<>(0);
        List<StreamRecord> behind = new ArrayList<>(0);
        boolean movesLoaded = rules.holds(StreamRule.LOADED_BEHIND_FILTERS);
        List<Runnable> waiting =
                stream.takeOut(record ->
                        switch (record) {
                            case StreamRecord.FilterChanges any -> true;
                            case StreamRecord.FiltersBegin any -> true;
                            case StreamRecord.FiltersEnd any -> true;
                            case StreamRecord.FiltersDigest any -> true;
                            case StreamRecord.FiltersWanted any -> true;
                            case StreamRecord.FiltersTold any -> answered.add(any);
                            case StreamRecord.FiltersAsked any -> false;
                            case StreamRecord.AwayFiltersAsked any -> false;
                            case StreamRecord.AwayFilters any -> false;
                            case StreamRecord.AwayFiltersEnd any -> false;
                            case StreamRecord.RetainedDigest any -> true;
                            case StreamRecord.RetainedCopy any -> true;
                            case StreamRecord.RetainedEnd any -> true;
                            case StreamRecord.RetainedWanted any -> true;
                            case StreamRecord.RetainedPublish any -> false;
                            case StreamRecord.Remembered any -> false;
                            case StreamRecord.Inherited any -> false;
                            case StreamRecord.WaysAsked any -> behind.add(any);
                            case StreamRecord.Loaded any -> movesLoaded && behind.add(any);
                            case StreamRecord.WaysTold any -> false;
                            case StreamRecord.Publish any -> false;
                            case StreamRecord.GroupPublish any -> false;
                            case StreamRecord.PassedOn any -> false;
                            case StreamRecord.Over any -> false;
                            case StreamRecord.Leads any -> false;
                            case StreamRecord.Holds any -> false;
                            case StreamRecord.Kept any -> false;
                            case StreamRecord.Enter any -> false;
                            case StreamRecord.Redirected any -> false;
                            case StreamRecord.Draining any -> false;
                            case StreamRecord.SecurityFiles any -> false;
                            case StreamRecord.RedirectedEnd any -> false;
                        });
        tell(server, new StreamRecord.FiltersBegin());
        List<TopicFilter> page = new ArrayList<>(PAGE);
        List<GroupState> pageStates = new ArrayList<>(PAGE);
        for (Map.Entry<TopicFilter, GroupState> each : own.entrySet()) {
            page.add(each.getKey());
            pageStates.add(each.getValue());
            if (page.size() == PAGE) {
                tell(server, changes(page, pageStates));
                page.clear();
                pageStates.clear();
            }
        }
        if (!page.isEmpty()) {
            tell(server, changes(page, pageStates));
        }
        long end = tell(server, new StreamRecord.FiltersEnd());
        told.put(server, end);
        changesBytes.put(server, 0L);
        if (answers) {
            answered.forEach(answer -> tell(server, answer)); // Behind what they speak of.
        }
        behind.forEach(each -> tell(server, each)); // The filters of sessions that have come.
        for (Runnable task : waiting) {
            stream.whenAnsweredAlone(end, task);
        }
    }

    /** Tells every node that is heard what it should know by now. */
    public void tellDigest() {
        tellChanges();
        Digest digest = ownDigest.value();
        for (int server : streams().servers()) {
            OutStream stream = streams().shared(server);
            if (stream.isUp() && !stream.isAway()) {
                tell(server, new StreamRecord.FiltersDigest(digest.high(), digest.low()));
            }
        }
    }

    // ---------------------------------------------------------------- after a pause

    /** This node has caught up with the others: SUBACKs go on to wait for those that are heard. */
    public void goOn() {
        List<Runnable> all = new ArrayList<>(whenCaughtUp);
        whenCaughtUp.clear();
        all.forEach(Runnable::run);
    }

    /** Asks a node to say when it has told all filters that it has promised. */
    public void ask(int server, long question) {
        tell(server, new StreamRecord.FiltersAsked(question));
    }

    /**
     * A node wants to know when it has heard all. While it counts as away, SUBACKs leave without
     * it: then it is told when it is heard.
     */
    private void onAsked(int server, long question) {
        tellChanges();
        if (streams().shared(server).isAway()) {
            asked.put(server, question);
        } else {
            tell(server, new StreamRecord.FiltersTold(question));
        }
    }

    /** A node is heard again, and waited for. */
    public void onHeard(int server) {
        Long question = asked.remove(server);
        if (question != null) {
            onAsked(server, question);
        }
    }

    // ---------------------------------------------------------------- members out of reach

    /**
     * Notes members whose filters have to be known before anything is published: their durable
     * sessions may have any. Each is known when it has told them since this start, or another node
     * has that had heard all of them.
     */
    public void expect(Set<Integer> members) {
        for (int each : members) {
            if (!isComplete(each)) {
                unknown.add(each);
            }
        }
    }

    /** Whether a member's filters have to be known and are not. */
    public boolean isUnknown(int member) {
        return unknown.contains(member);
    }

    /** Whether the filters of all members that were to be expected are known. */
    public boolean knowsMembers() {
        return unknown.isEmpty();
    }

    @Override
    public Set<Integer> unknown() {
        return Set.copyOf(unknown);
    }

    /** Asks the nodes that are heard for the filters of members that are not known. */
    public void askForUnknown() {
        if (unknown.isEmpty()) {
            return;
        }
        int[] members = unknown.stream().mapToInt(Integer::intValue).toArray();
        for (int server : List.copyOf(streams().servers())) {
            OutStream stream = streams().shared(server);
            boolean isAnswered = stream.isAnsweredAlone(askedForAway.getOrDefault(server, 0L));
            if (stream.isUp() && !stream.isAway() && isAnswered) {
                StreamRecord question = new StreamRecord.AwayFiltersAsked(members);
                askedForAway.put(server, tell(server, question));
            }
        }
    }

    /**
     * Tells what this node knows of members out of its reach. It knows all that they had when they
     * ended: their SUBACKs have waited for this node.
     */
    private void onAwayAsked(int server, int[] members) {
        if (!streams().shared(server).isAnsweredAlone(toldAway.getOrDefault(server, 0L))) {
            return; // What it asked before is still on its way there.
        }
        for (int member : members) {
            PeerFilters filters = peers.get(member);
            if (filters == null || !filters.isKnown() || filters.isForgotten()) {
                continue;
            }
            // After a pause it may not know all; who asks does so again.
            if (!pauses.isBehind() && !streams().shared(member).isUp()) {
                tellAway(server, member, filters.durable());
            }
        }
    }

    private void tellAway(int server, int member, List<TopicFilter> filters) {
        for (int from = 0; from < filters.size(); from += PAGE) {
            int to = Math.min(from + PAGE, filters.size());
            TopicFilter[] page = filters.subList(from, to).toArray(new TopicFilter[0]);
            tell(server, new StreamRecord.AwayFilters(member, page));
        }
        toldAway.put(server, tell(server, new StreamRecord.AwayFiltersEnd(member)));
    }

    private void onAwayFilters(StreamRecord.AwayFilters told) {
        if (unknown.contains(told.member()) && !peer(told.member()).isArriving()) {
            for (TopicFilter each : told.filters()) {
                // No member of a group is online there.
                GroupState state = each.isShared() ? GroupState.WAITING : GroupState.ONLINE;
                peer(told.member()).change(each, state);
            }
        }
    }

    private void onAwayFiltersEnd(int member) {
        if (unknown.contains(member) && !peer(member).isArriving()) {
            peer(member).known();
            unknown.remove(member);
        }
    }

    // ---------------------------------------------------------------- those of the others

    /** Whether the node has told all of its filters. */
    public boolean isComplete(int server) {
        PeerFilters filters = peers.get(server);
        return filters != null && filters.isComplete();
    }

    /** Filters of another node. */
    public int size(int server) {
        PeerFilters filters = peers.get(server);
        return filters == null ? 0 : filters.size();
    }

    private PeerFilters peer(int server) {
        return peers.computeIfAbsent(
                server, any -> new PeerFilters(server, Objects.requireNonNull(index), account));
    }

    @Override
    public void settle(int server) {
        if (settled.add(server)) {
            removeFilters(server);
            unknown.remove(server);
        }
    }

    @Override
    public void onUp(int server) {
        if (settled.remove(server)) {
            forgetting.remove(server);
            PeerFilters filters = peers.get(server);
            if (filters != null) {
                filters.stay();
            }
            tell(server, new StreamRecord.FiltersWanted());
        }
    }

    /** A node does not belong to the cluster any more: soon nothing is routed to it. */
    public void forget(int server) {
        settled.remove(server);
        removeFilters(server);
        told.remove(server);
        changesBytes.remove(server);
        asked.remove(server);
        askedForAway.remove(server);
        toldAway.remove(server);
        unknown.remove(server);
    }

    private void removeFilters(int server) {
        PeerFilters filters = peers.get(server);
        if (filters != null && !filters.isForgotten()) {
            filters.forget();
            if (forgetting.isEmpty()) {
                slices.accept(this::forgetMore);
            }
            forgetting.add(server);
        }
    }

    private boolean forgetMore() {
        if (forgetting.isEmpty()) {
            return true; // The last one is back.
        }
        int server = forgetting.iterator().next();
        PeerFilters filters = peer(server);
        if (filters.forgetMore(SLICE)) {
            forgetting.remove(server);
            if (filters.isForgotten()) {
                peers.remove(server);
            }
        }
        return forgetting.isEmpty();
    }

    /** A record of another node that is about filters. */
    public void onRecord(int server, StreamRecord record) {
        PeerFilters of = peer(server);
        switch (record) {
            case StreamRecord.FilterChanges changes -> {
                for (int i = 0; i < changes.filters().length; i++) {
                    of.change(changes.filters()[i], changes.states()[i]);
                }
            }
            case StreamRecord.FiltersBegin any -> of.begin();
            case StreamRecord.FiltersEnd any -> {
                of.end();
                if (of.isComplete()) {
                    unknown.remove(server);
                }
            }
            case StreamRecord.AwayFiltersAsked by -> onAwayAsked(server, by.members());
            case StreamRecord.AwayFilters away -> onAwayFilters(away);
            case StreamRecord.AwayFiltersEnd end -> onAwayFiltersEnd(end.member());
            case StreamRecord.FiltersDigest digest -> {
                if (of.isComplete() && !of.isSame(new Digest(digest.high(), digest.low()))) {
                    tell(server, new StreamRecord.FiltersWanted());
                }
            }
            case StreamRecord.FiltersWanted any -> tellAll(server, true);
            case StreamRecord.FiltersAsked by -> onAsked(server, by.question());
            default -> throw new IllegalArgumentException("not about filters: " + record);
        }
    }
}
