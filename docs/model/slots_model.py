#!/usr/bin/env python3
"""Runs random schedules of leadership changes of one slot, and checks what clients see.

  slots_model.py --seeds N [--first SEED] [--off RULE[,RULE]]
  slots_model.py --seed S [--off RULE] [--trace]

README.md beside this file says what is modelled, and what each rule is.
"""
import argparse
import collections
import random
import sys

LEADERS = (0, 1, 2)  # nodes that may lead the slot
NODES = (0, 1, 2, 3)
SOURCES = (0, 1, 2, 3, 4)  # sources 3 and 4 are two streams of node 3
SHARDS = {0: (0,), 1: (1,), 2: (2,), 3: (3, 4)}
NODE = {0: 0, 1: 1, 2: 2, 3: 3, 4: 3}
TO = {n: [(j, n) for j in NODES if j != n] for n in NODES}
RECORDS_TO = {n: [(s, n) for s in SOURCES] for n in NODES}
ANSWERS_TO = {s: [(j, s) for j in NODES] for s in SOURCES}
MOVER = 9  # a publisher that changes between sources 3 and 4: now retained messages, now not

RULES = {
    # who leads
    'MAJORITY': 'a take-over needs a strict majority of the members',
    'ENDED_WAS_HEARD': 'a member that has ended counts on for those that did not hear it until '
                       'then, until it is forgotten',
    'ALL_LIVE': 'every live member has accepted a take-over',
    'REFUSE_WHILE_HEARD': 'a member that hears the leader refuses a take-over',
    'TAKEN_IS_FINAL': 'who accepted a take-over refuses records of the leader until it is '
                      'withdrawn',
    'SHRINK_NEEDS_QUORUM': 'a leader gives a whole follower up only while those that it does not '
                           'hear are no strict majority',
    'QUORUM_HAS_IT': 'such a record counts when no strict majority lacks it, whoever is heard then',
    'SHOWN': 'a record counts when every live member has it',
    'KNOWN_RECORD': 'a member refuses a take-over by an older record than it knows',
    'FRESH': 'a live node counts for a take-over only if the leader has shown it its record in '
             'its present start, or is forgotten',
    'DEMOTE_FIRST': 'the record of the new leader calls nobody whole before it leads',
    'COPY_FENCE': 'who has taken over confirms nothing of the former leader',
    'COPY_BRINGS_RECORD': 'a copy comes with the record that names it',
    # how sources switch over
    'GATE': 'a leader takes from a source only what comes behind its ENTER',
    'CLOSED_IN_NEW_STREAMS': 'a stream that begins has not entered',
    'ANSWER_BEHIND_ENTER': 'what comes before ENTER is answered when ENTER has come',
    'ANSWER_BEHIND_LEAVE': 'a former leader answers for the slot when the source has left',
    'REDIRECT': 'a source sends to the new leader what is unanswered',
    'REDIRECT_FROM_ALL': 'that of all nodes, not only of the one that LOADED names and of those '
                         'that are gone',
    'ENTER_BEFORE_REDIRECTS': 'ENTER comes before what is redirected',
    'LOADED_BEHIND_FILTERS': 'LOADED is told behind the filters',
    'TAKE_BACK_BEHIND_LEAVE': 'a former leader takes filters back when all shards have left',
    'ALL_SHARDS_SWITCHED': 'what comes behind LOADED waits until all shards have switched over',
    'WAIT_ALL_ON_SOURCE_CHANGE': 'a publisher that changes its source waits for all answers',
    'SETTLE': 'nobody waits for a node that is gone when its slots are led by others',
    'INGRESS_IDS': 'the queue remembers ingress ids of QoS 2, and the copy too',
}

# version: (tenure of the leader, its start, change); taken: the node that takes over by it
Record = collections.namedtuple('Record', 'version whole taken', defaults=(None,))


class Leader:
    """The state of a node that leads S under a tenure."""

    def __init__(self, tenure):
        self.tenure, self.follower = tenure, None
        self.settled = False  # every live member has its record
        self.shown = set()
        self.waiting = []  # (operations before it, source, position, message)
        self.sent = self.confirmed = 0
        self.given_up = False  # the record lacks a follower that was whole by a settled one
        self.delivered = set()
        self.routes = set()  # nodes that route by the later filter


class Copy:
    """What is on a disk of S."""

    def __init__(self, queue=(), taken=(), later=False):
        self.queue, self.taken = list(queue), set(taken)  # (message id, message); ever taken
        self.later = later  # whether the session has the later subscription, too

    def clone(self):
        return Copy(self.queue, self.taken, self.later)


class Proposal:
    """What a node that takes over has heard of the others."""

    def __init__(self, number, leader, record, consent):
        self.number, self.leader, self.record, self.consent = number, leader, record, consent
        self.asked, self.accepted = set(), set()
        self.shown = None  # nodes that have the record which calls nobody whole


class Source:
    """A shard that publishes: what it has sent, and by which tenure it goes."""

    def __init__(self, position):
        self.tenure = 0
        self.leader = None
        self.position = position
        self.entered = {}  # node -> position and tenure of the last ENTER
        self.unanswered = {j: {} for j in NODES}  # position -> Sent
        self.counts = {1: 0, 2: 0}


class Sent:
    def __init__(self, message, kind, durable):
        self.message, self.kind, self.durable, self.redirected = message, kind, durable, False


Message = collections.namedtuple('Message', 'publisher qos number ingress transient topic checked')


class World:
    def __init__(self, seed, off, trace):
        self.off, self.trace = off, trace
        r = self.random = random.Random(seed)
        self.kills_left = r.choice((0, 1, 2))
        self.sleeps_left = r.choice((0, 1, 2, 4))
        self.restarts_left = r.choice((0, 0, 2, 4))
        self.cuts_left = r.choice((0, 0, 0, 3, 6))
        self.pace = r.choice((1, 3))  # how soon faults follow each other
        self.transfers_left = 2
        self.was_cut = False
        self.up = {n: True for n in NODES}
        self.killed, self.asleep = set(), set()
        self.dead = set()  # known dead
        self.ended = {n: set() for n in NODES}  # of those, what does not count for a node
        self.forgotten = set()
        self.start = {n: 0 for n in NODES}
        pairs = [(a, b) for a in NODES for b in NODES]
        self.cut = set()  # (a, b): nothing comes from a to b
        self.hears = {p: True for p in pairs}  # (n, j): n hears j
        self.link = {p: (0, 0) for p in pairs}  # starts of both between which it is
        self.records = {(s, j): [] for s in SOURCES for j in NODES}
        self.answers = {(j, s): [] for s in SOURCES for j in NODES}
        self.shared, self.control, self.parts, self.confirmations = (
            {p: [] for p in pairs} for _ in range(4))
        self.box = {s: [] for s in SOURCES}  # LOADED on its way to a shard
        self.entered = {(j, s): 0 for s in SOURCES for j in NODES}  # tenure
        self.left = {(j, s): 0 for s in SOURCES for j in NODES}  # tenure
        self.held = {(j, s): [] for s in SOURCES for j in NODES}  # not answered before a mark
        self.index = {n: {0: False} for n in NODES}  # node with filters of S -> has the later one
        self.unknown = {n: set() for n in NODES}  # nodes whose filters a new start has to know
        self.source = {s: Source({j: 0 for j in NODES}) for s in SOURCES}
        # on disks
        self.row = {n: (1, 0, None) for n in NODES}  # tenure, leader, and from whom it took over
        self.led = {n: 0 for n in NODES}  # the last tenure
        self.led[0] = 1
        first = {j: Record((0, 0, 0), frozenset((j, (j + 1) % 3))) for j in LEADERS}
        first[0] = Record((1, 0, 1), frozenset((0, 1)))
        self.known = {n: dict(first) for n in NODES}  # by leader
        self.copy = {(n, j): Copy() for n in LEADERS for j in LEADERS}
        # in memory
        self.fresh = {n: set(NODES) for n in NODES}
        self.proposal = {n: None for n in NODES}
        self.proposals = 0
        self.leader = {n: None for n in NODES}
        self.leader[0] = Leader(1)
        self.leader[0].follower, self.leader[0].settled = 1, True
        self.client = 0  # the leader that serves the subscriber
        self.subscribed = False  # SUBACK was given for the later subscription
        self.mover_at, self.mover_counts = 3, {1: 0, 2: 0}
        self.next_id = self.next_ingress = 0
        self.messages, self.acknowledged, self.open = [], set(), {}
        self.received, self.received_ids = [], set()
        self.transient = {n: [] for n in NODES}
        self.newest = 0  # the node that has taken over last
        self.failures = set()

    def on(self, rule):
        return rule not in self.off

    def say(self, *words):
        if self.trace:
            print(*words)

    def runs(self, n):
        return self.up[n] and n not in self.asleep

    def linked(self, a, b):
        return self.up[a] and self.up[b] and self.link[a, b] == (self.start[a], self.start[b])

    def live(self, n):
        return {x for x in NODES if x != n and self.hears[n, x] and self.linked(n, x)}

    def send(self, channels, a, b, message):
        """Puts a message into a channel between two nodes, if there is a link."""
        if a != b and self.linked(a, b):
            channels[a, b].append(message)

    def tell(self, n, *message):
        for x in NODES:
            self.send(self.control, n, x, message)

    # ---- sources

    def may_publish(self, n):
        """Says whether a node knows the filters that it has to know."""
        tenure, leader, _ = self.row[n]
        if tenure == 1 or all(self.source[s].tenure == tenure for s in SHARDS[n]):
            self.unknown[n] = {j for j in self.unknown[n] if self.linked(n, j) or j == leader}
        return not self.unknown[n]

    def publish(self, s, mover=False):
        source, n, r = self.source[s], NODE[s], self.random
        qos = r.choice((1, 2))
        counts = self.mover_counts if mover else source.counts
        counts[qos] += 1
        self.next_ingress += 1
        publisher = (MOVER if mover else s, self.start[n])
        later = r.random() < .25
        transient = not mover and not later and r.random() < .5  # transient sessions match, too
        message = Message(publisher, qos, counts[qos], self.next_ingress, transient, later,
                          not later or self.subscribed)
        self.messages.append(message)
        self.open[message] = 1
        for j in NODES:
            durable = j in self.index[n] and (self.index[n][j] or not later)
            if durable or transient and (j == n or self.hears[n, j]):
                self.add(s, j, 'record', message, durable)
        self.close(message)

    def close(self, message):
        self.open[message] -= 1
        if not self.open[message]:
            self.acknowledged.add(message)

    def add(self, s, j, kind, body, durable=True):
        """Puts a record or mark into the stream from a source to a node."""
        source = self.source[s]
        source.position[j] += 1
        position = source.position[j]
        if kind in ('record', 'redirected'):
            source.unanswered[j][position] = Sent(body, kind, durable)
            self.open[body] += 1
        if self.stream(s, j):
            self.records[s, j].append((position, kind, body))
        return position

    def stream(self, s, j):
        return NODE[s] == j or self.linked(NODE[s], j)

    def switch_over(self, s):
        """Sends to a new leader what is unanswered, and leaves the others."""
        tenure, leader, former = self.box[s].pop(0)
        source, n = self.source[s], NODE[s]
        if tenure <= source.tenure:
            return
        self.say('source', s, 'switches to', leader, tenure)
        source.tenure, source.leader = tenure, leader
        todo = []
        for j in NODES:
            gone = j != n and not self.hears[n, j]
            if not (j in (leader, former) or gone or self.on('REDIRECT_FROM_ALL')):
                continue
            for sent in source.unanswered[j].values():
                if sent.durable and not sent.redirected:
                    sent.redirected = True
                    todo.append(sent.message)
            if j != leader:
                source.entered.pop(j, None)
                self.add(s, j, 'leave', tenure)
        if self.on('ENTER_BEFORE_REDIRECTS'):
            source.entered[leader] = (self.add(s, leader, 'enter', tenure), tenure)
        if self.on('REDIRECT'):
            for message in sorted(set(todo), key=lambda m: m.ingress):
                self.add(s, leader, 'redirected', message)
        if not self.on('ENTER_BEFORE_REDIRECTS'):
            source.entered[leader] = (self.add(s, leader, 'enter', tenure), tenure)

    def on_answer(self, j, s):
        position = self.answers[j, s].pop(0)
        sent = self.source[s].unanswered[j].pop(position, None)
        if sent:
            self.close(sent.message)

    def can_settle(self, n, j):
        """Says whether a node waits for another one that is gone, and leads nothing."""
        tenure, leader, _ = self.row[n]
        return self.on('SETTLE') and n != j and not self.hears[n, j] and leader != j \
            and all(self.source[s].tenure == tenure for s in SHARDS[n]) \
            and (j in self.index[n] or any(self.source[s].unanswered[j] for s in SHARDS[n]))

    def settle(self, n, j):
        self.index[n].pop(j, None)
        for s in SHARDS[n]:
            unanswered, self.source[s].unanswered[j] = self.source[s].unanswered[j], {}
            for sent in unanswered.values():
                self.close(sent.message)

    def mover_may_publish(self):
        other = self.source[7 - self.mover_at]
        nodes = NODES if self.on('WAIT_ALL_ON_SOURCE_CHANGE') else (self.row[3][1],)
        return self.may_publish(3) and not any(
            sent.message.publisher[0] == MOVER
            for j in nodes for sent in other.unanswered[j].values())

    # ---- a node that gets records

    def reply(self, j, s, position):
        if self.stream(s, j):
            self.answers[j, s].append(position)

    def on_record(self, s, j):
        position, kind, body = self.records[s, j].pop(0)
        if kind == 'leave':
            self.left[j, s] = max(self.left[j, s], body)
            if self.leader[j] and self.leader[j].tenure < body:
                self.step_down(j)
            self.answer_held(j, s)
            self.take_back(j, NODE[s])
            return
        if kind == 'enter':
            self.entered[j, s] = body
            if self.leader[j] and self.leader[j].tenure == body:
                self.answer_held(j, s)
            return
        if kind == 'record' and body.transient:
            self.transient[j].append(body)
        leader = self.leader[j]
        if leader and self.is_open(j, s):
            self.take(j, s, position, body)
        elif leader and self.on('ANSWER_BEHIND_ENTER') \
                or not leader and self.is_left(j, s) and self.on('ANSWER_BEHIND_LEAVE'):
            self.held[j, s].append(position)
        else:
            self.reply(j, s, position)

    def is_open(self, j, s):
        tenure = self.leader[j].tenure
        return tenure == 1 or self.entered[j, s] == tenure or not self.on('GATE')

    def is_left(self, j, s):
        """Says whether this node has led S, and the source may take it for the leader."""
        return self.led[j] and self.left[j, s] <= self.led[j]

    def answer_held(self, j, s):
        if self.leader[j] or not self.is_left(j, s):
            held, self.held[j, s] = self.held[j, s], []
            for position in held:
                self.reply(j, s, position)

    def take(self, j, s, position, message):
        """Appends a record to the queue of the session in S."""
        leader, copy = self.leader[j], self.copy[j, j]
        again = message.qos == 2 and message in copy.taken and self.on('INGRESS_IDS')
        if not again and (copy.later or not message.topic):
            self.next_id += 1
            copy.queue.append((self.next_id, message))
            copy.taken.add(message)
            self.ship(j, ('append', self.next_id, message))
        leader.waiting.append((leader.sent, s, position, message))
        self.release(j)

    def ship(self, j, operation):
        leader = self.leader[j]
        leader.sent += 1
        if leader.follower is not None:
            version = self.known[j][j].version
            self.send(self.parts, j, leader.follower, (version, operation))
        else:
            leader.confirmed += leader.settled

    def is_confirmed(self, j):
        leader = self.leader[j]
        return leader.settled and leader.confirmed >= leader.sent

    def release(self, j):
        """Answers what is confirmed by the set of the record that every live member has."""
        leader = self.leader[j]
        while leader.settled and leader.waiting and leader.waiting[0][0] <= leader.confirmed:
            _, s, position, message = leader.waiting.pop(0)
            newest = self.newest
            if newest != j and message in self.copy[j, j].taken - self.copy[newest, newest].taken:
                self.failures.add('two leaders')
            self.reply(j, s, position)

    def take_back(self, j, n):
        """Takes the filters of S back at a node when all its sources have left."""
        if self.led[j] and not self.leader[j] and not (
                self.on('TAKE_BACK_BEHIND_LEAVE') and any(self.is_left(j, s) for s in SHARDS[n])):
            if n == j:
                self.index[j].pop(j, None)
            else:
                self.send(self.shared, j, n, ('take back',))

    # ---- the record of a leader

    def counted(self, n):
        """Returns the members that count for a node."""
        ended = self.ended[n] if self.on('ENDED_WAS_HEARD') else self.dead
        return set(NODES) - self.forgotten - ended

    def is_half(self, j, members):
        """Says whether all others are no strict majority of the members that count for a node."""
        counted = self.counted(j)
        return 2 * len(counted - members) <= len(counted) or not self.on('SHRINK_NEEDS_QUORUM')

    def may_shrink(self, j):
        return self.is_half(j, self.live(j) | {j})

    def able_followers(self, j):
        return [x for x in LEADERS if x in self.live(j) and self.runs(x) and self.hears[x, j]
                and not self.cut & {(j, x), (x, j)} and not self.refuses(x, j, None)]

    def needs_follower(self, j):
        leader = self.leader[j]
        if leader.follower is not None or self.known[j][j].taken is not None:
            return False
        known = self.known[j][j]
        is_due = known.whole != {j} or known.version[:2] != (leader.tenure, self.start[j])
        return is_due and self.may_shrink(j) or bool(self.able_followers(j))

    def choose_follower(self, j):
        """Chooses a follower, fills it, and shows the new record."""
        leader, before = self.leader[j], self.known[j][j]
        able = self.able_followers(j)
        if not self.may_shrink(j):
            able = [x for x in able if before.whole <= {j, x}]
        if not able and not self.may_shrink(j):
            return
        follower = self.random.choice(able) if able else None
        if follower is not None and self.row[follower][0] > leader.tenure:
            self.hear_row(j, self.row[follower])
            return
        leader.follower = follower
        leader.confirmed = leader.sent
        leader.given_up |= bool(before.whole - {j, follower})
        self.new_record(j, {j, follower} - {None})
        if follower is not None:
            self.hear_row(follower, self.row[j])
            self.copy[follower, j] = self.copy[j, j].clone()
            self.parts[j, follower] = []
            self.confirmations[follower, j] = []
            if self.on('COPY_BRINGS_RECORD'):
                self.known[follower][j] = self.known[j][j]
                self.fresh[follower].add(j)
        self.look(j)

    def new_record(self, j, whole):
        """Makes the next record of a node, and shows it."""
        tenure = self.leader[j].tenure if self.leader[j] else self.row[j][0] + 1
        version = self.known[j][j].version
        change = version[2] + 1 if version[:2] == (tenure, self.start[j]) else 1
        self.known[j][j] = Record((tenure, self.start[j], change), frozenset(whole))
        self.say('node', j, 'record', self.known[j][j])
        if self.leader[j]:
            self.leader[j].settled, self.leader[j].shown = False, set()
        self.tell(j, 'show', self.known[j][j])

    def look(self, j):
        """Settles the record of a leader when every live member has it."""
        leader = self.leader[j]
        if not leader or leader.settled:
            return
        version = self.known[j][j].version
        if version[:2] == (leader.tenure, self.start[j]) \
                and (self.live(j) <= leader.shown or not self.on('SHOWN')) \
                and (not leader.given_up or self.is_half(j, leader.shown | {j})
                     or not self.on('QUORUM_HAS_IT')) \
                and (leader.follower is not None or self.known[j][j].whole == {j}):
            leader.settled, leader.given_up = True, False
            if leader.follower is None:
                leader.confirmed = leader.sent
            self.release(j)

    def refuses(self, n, j, record):
        """Says whether a node refuses a leader's record; None for one that is still to be made."""
        known = self.known[n][j]
        tenure = record.version[0] if record else self.leader[j].tenure
        later = self.row[n][0] > tenure or self.row[n][0] == tenure and self.row[n][1] != j
        taken = known.taken is not None and known.version[0] >= tenure
        return (later or taken) and self.on('TAKEN_IS_FINAL') \
            or record is not None and record.version < known.version

    def on_part(self, j, f):
        version, operation = self.parts[j, f].pop(0)
        copy, known = self.copy[f, j], self.known[f][j]
        took = self.leader[f] or self.row[f][0] > version[0]
        if took and self.on('COPY_FENCE'):
            return
        if operation[0] == 'append':
            copy.queue.append(operation[1:])
            copy.taken.add(operation[2])
        elif operation[0] == 'later':
            copy.later = True
        else:
            copy.queue = [e for e in copy.queue if e[0] != operation[1]]
        self.send(self.confirmations, f, j, version)

    def on_confirmation(self, f, j):
        version = self.confirmations[f, j].pop(0)
        leader = self.leader[j]
        if leader and leader.follower == f and self.known[j][j].version == version:
            leader.confirmed += 1
            self.release(j)

    # ---- take-over

    def may_propose(self, n):
        tenure, leader, _ = self.row[n]
        if self.proposal[n] or leader == n:
            return False
        known = self.known[n][leader]
        return n in known.whole and known.version[0] == tenure and known.taken is None \
            and leader not in self.live(n)

    def propose(self, n, consent=False):
        leader = self.row[n][1]
        record = self.known[n][leader]._replace(taken=n)
        self.say('node', n, 'takes', leader, record, 'consent' if consent else '')
        self.known[n][leader] = record
        self.proposals += 1
        self.proposal[n] = Proposal(self.proposals, leader, record, consent)

    def proposal_may_go_on(self, n):
        proposal = self.proposal[n]
        live = self.live(n)
        if proposal.leader in live and not proposal.consent or live - proposal.asked:
            return True
        return self.has_accepted(n) and (proposal.shown is None or live <= proposal.shown)

    def has_accepted(self, n):
        proposal, counted = self.proposal[n], self.counted(n)
        if self.on('FRESH') and proposal.leader not in self.forgotten:
            live = self.live(n) | {n}
            counted -= {x for x in live if proposal.leader not in self.fresh[x] | {x}}
        votes = (proposal.accepted | {n}) & counted
        return (self.live(n) <= proposal.accepted or not self.on('ALL_LIVE')) \
            and (2 * len(votes) > len(counted) or not self.on('MAJORITY'))

    def proposal_goes_on(self, n):
        proposal = self.proposal[n]
        live = self.live(n)
        if proposal.leader in live and not proposal.consent:
            self.withdraw(n, proposal.leader)
        elif live - proposal.asked:
            for x in live - proposal.asked:
                self.send(self.control, n, x, ('propose', proposal.number, proposal.leader,
                                               proposal.record, proposal.consent))
            proposal.asked |= live
        elif proposal.shown is None and self.on('DEMOTE_FIRST'):
            proposal.shown = set()
            self.new_record(n, {n})
        else:
            self.lead(n)

    def on_propose(self, n, j, number, leader, record, consent):
        known = self.known[n][leader]
        if n == leader:
            hears = not (consent and self.leader[n] and self.leader[n].follower == j)
        else:
            hears = not consent and leader in self.live(n)
        taken = known.taken not in (None, j) and known.version[0] >= record.version[0]
        accepts = self.row[n][0] <= record.version[0] \
            and not (hears and self.on('REFUSE_WHILE_HEARD')) \
            and not (taken and self.on('TAKEN_IS_FINAL')) \
            and not (known.version > record.version and self.on('KNOWN_RECORD'))
        if accepts:
            self.known[n][leader] = record
        self.send(self.control, n, j, ('vote', number, accepts, known, self.row[n]))

    def on_vote(self, n, j, number, accepts, known, row):
        self.hear_row(n, row)
        proposal = self.proposal[n]
        if not proposal or proposal.number != number:
            return
        if accepts:
            proposal.accepted.add(j)
            return
        leader = proposal.leader
        self.withdraw(n, leader)
        if known.version > self.known[n][leader].version:
            self.known[n][leader] = known._replace(taken=None)

    def withdraw(self, n, leader):
        self.say('node', n, 'withdraws')
        self.proposal[n] = None
        self.known[n][leader] = self.known[n][leader]._replace(taken=None)
        self.tell(n, 'withdraw', leader)

    def on_withdraw(self, n, j, leader):
        if self.known[n][leader].taken == j:
            self.known[n][leader] = self.known[n][leader]._replace(taken=None)

    def lead(self, n):
        former, tenure = self.proposal[n].leader, self.row[n][0] + 1
        self.say('node', n, 'leads', tenure, 'from', former)
        demoted = self.proposal[n].shown is not None
        self.proposal[n] = None
        self.row[n] = (tenure, n, former)
        self.led[n] = tenure
        self.newest = n
        leader = self.leader[n] = Leader(tenure)
        self.copy[n, n] = self.copy[n, former].clone()
        leader.settled = demoted
        self.client = n
        self.tell(n, 'row', self.row[n])
        if not demoted:
            self.new_record(n, {n})
        for x in NODES:
            self.tell_loaded(n, x)

    def tell_loaded(self, j, n):
        """Tells a node the filters, and that this node has taken over."""
        leader = self.leader[j]
        later = self.copy[j, j].later
        messages = [('filters', later)]
        if leader.tenure > 1:
            messages.append(('loaded', self.row[j]))
            if not self.on('LOADED_BEHIND_FILTERS'):
                messages.reverse()
        if n == j:
            self.index[j][j] = later
            if leader.tenure > 1:
                for s in SHARDS[j]:
                    self.box[s].append(self.row[j])
        for message in messages:
            self.send(self.shared, j, n, message)

    def hear_row(self, n, row):
        if row[0] > self.row[n][0]:
            self.row[n] = row
            if self.leader[n]:
                self.step_down(n)
            self.proposal[n] = None

    def step_down(self, j):
        leader, self.leader[j] = self.leader[j], None
        self.say('node', j, 'steps down')
        for _, s, position, _ in leader.waiting:
            if self.on('ANSWER_BEHIND_LEAVE') and self.is_left(j, s):
                self.held[j, s].append(position)
            else:
                self.reply(j, s, position)
        for n in NODES:
            for s in SHARDS[n]:
                self.answer_held(j, s)
            self.take_back(j, n)

    # ---- messages between nodes

    def may_handle_shared(self, j, n):
        waits = self.on('ALL_SHARDS_SWITCHED') and any(
            each[1] == j for s in SHARDS[n] for each in self.box[s])
        return not waits

    def on_shared(self, j, n):
        kind, *body = self.shared[j, n].pop(0)
        if kind == 'filters':
            self.index[n][j] = body[0]
            if body[0]:
                self.send(self.control, n, j, ('routes',))
        elif kind == 'take back':
            self.index[n].pop(j, None)
        elif kind == 'known':
            self.unknown[n].discard(j)
        else:
            for s in SHARDS[n]:
                self.box[s].append(body[0])

    def on_control(self, j, n):
        kind, *body = self.control[j, n].pop(0)
        leader = self.leader[n]
        if kind == 'show':
            self.on_show(n, j, *body)
        elif kind == 'shown':
            if body[0] == self.known[n][n].version and self.shows(n) is not None:
                self.shows(n).add(j)
                self.look(n)
        elif kind == 'refused':
            self.hear_row(n, *body)
        elif kind == 'row':
            self.hear_row(n, body[0])
        elif kind == 'propose':
            self.on_propose(n, j, *body)
        elif kind == 'vote':
            self.on_vote(n, j, *body)
        elif kind == 'withdraw':
            self.on_withdraw(n, j, *body)
        elif kind == 'yours':
            known = self.known[n][j]
            if known.version == body[0] and n in known.whole and known.taken is None \
                    and self.row[n][:2] == (known.version[0], j) and not self.proposal[n]:
                self.propose(n, True)
        elif kind == 'routes' and leader:
            leader.routes.add(j)

    def on_show(self, n, j, record):
        if self.refuses(n, j, record):
            self.send(self.control, n, j, ('refused', self.row[n]))
            return
        self.fresh[n].add(j)
        self.known[n][j] = record._replace(taken=None)
        self.send(self.control, n, j, ('shown', record.version))

    def shows(self, n):
        """Returns who has the record that a node shows; None if it shows none."""
        if self.leader[n]:
            return self.leader[n].shown
        return self.proposal[n].shown if self.proposal[n] else None

    def owed(self, n):
        """Returns the live members that have refused or not yet got the record of a node."""
        shown = self.shows(n)
        if shown is None or self.leader[n] and self.leader[n].settled:
            return ()
        return [x for x in self.live(n) - shown
                if not self.control[n, x] and not self.control[x, n]]

    def show_owed(self, n):
        for x in self.owed(n):
            self.send(self.control, n, x, ('show', self.known[n][n]))

    # ---- the subscriber

    def deliver(self, j):
        leader = self.leader[j]
        for message_id, message in self.copy[j, j].queue:
            if message_id in leader.delivered:
                continue
            if message.qos == 2 and not self.is_confirmed(j):
                return
            leader.delivered.add(message_id)
            if message.qos == 1 or message_id not in self.received_ids:
                self.received_ids.add(message_id)
                self.received.append(message)
            return

    def acknowledge(self, j):
        leader, copy = self.leader[j], self.copy[j, j]
        confirmed = self.is_confirmed(j)
        able = [e for e in copy.queue
                if e[0] in leader.delivered and (e[1].qos == 1 or confirmed)]
        if able:
            entry = self.random.choice(able[:2])
            copy.queue.remove(entry)
            self.ship(j, ('remove', entry[0]))

    def subscribe(self, j):
        self.copy[j, j].later = True
        self.ship(j, ('later',))
        self.index[j][j] = True
        for n in NODES:
            self.send(self.shared, j, n, ('filters', True))

    def may_answer_subscribe(self, j):
        leader = self.leader[j]
        return self.copy[j, j].later and self.is_confirmed(j) \
            and set(NODES) - self.dead <= leader.routes | {j} \
            and not any(self.box[s] for s in SHARDS[j])

    def answer_subscribe(self):
        self.subscribed = True

    # ---- faults

    def left_over(self, j, n):
        """Says whether something of an ended start of a node is still on its way."""
        return any(c[j, n] for c in (self.shared, self.control, self.parts, self.confirmations)) \
            or any(self.records[s, n] for s in SHARDS[j]) \
            or any(self.answers[j, s] for s in SHARDS[n])

    def stop(self, j):
        self.asleep.discard(j)
        if self.random.random() < .5:
            self.dead.add(j)
            for n in NODES:
                if n != j and self.runs(n) and j in self.live(n):
                    self.ended[n].add(j)
        self.up[j] = False
        self.cut = {c for c in self.cut if j not in c}
        self.leader[j] = self.proposal[j] = None
        outgoing = [(c, (j, n)) for n in NODES if n != j for c in (
            self.shared, self.control, self.parts, self.confirmations)]
        outgoing += [(self.records, (s, n)) for s in SHARDS[j] for n in NODES if n != j]
        outgoing += [(self.answers, (j, s)) for s in SOURCES if NODE[s] != j]
        for channels, key in outgoing:
            del channels[key][self.random.randint(0, len(channels[key])):]
        for n in NODES:
            for c in (self.shared, self.control, self.parts, self.confirmations):
                c[n, j] = []
            for s in SHARDS[n]:
                self.records[s, j] = []
                self.new_stream(s, j)
            for s in SHARDS[j]:
                self.answers[n, s] = []
        for s in SHARDS[j]:
            self.records[s, j], self.answers[j, s], self.box[s] = [], [], []
            self.source[s] = Source(self.source[s].position)

    def new_stream(self, s, j):
        self.held[j, s] = []
        self.left[j, s] = self.entered[j, s] = 0
        if not self.on('CLOSED_IN_NEW_STREAMS') and self.leader[j]:
            self.entered[j, s] = self.leader[j].tenure

    def restart(self, j):
        self.say('node', j, 'starts')
        self.up[j] = True
        self.dead.discard(j)
        for ended in self.ended.values():
            ended.discard(j)
        self.ended[j] = set()
        self.start[j] += 1
        self.transient[j] = []
        self.fresh[j] = set()
        self.index[j] = {}
        self.unknown[j] = set(NODES) - {j}
        for n in NODES:
            self.hears[j, n] = n == j
            self.link[j, n] = None
        self.link[j, j] = (self.start[j], self.start[j])
        tenure, leader, _ = self.row[j]
        if leader == j:
            self.leader[j] = Leader(tenure)
            self.tell_loaded(j, j)
        elif self.known[j][leader].taken == j:
            self.withdraw(j, leader)
        for s in SHARDS[j]:
            self.new_stream(s, j)

    def open_link(self, a, b):
        """Opens a link between starts that had none, with new streams."""
        for n, j in ((a, b), (b, a)):
            if self.link[n, j]:
                self.link_ended(n, j)
            self.link[n, j] = (self.start[n], self.start[j])
        for n, j in ((a, b), (b, a)):
            self.hears[n, j] = True
            for s in SHARDS[n]:
                self.new_stream(s, j)
                self.records[s, j] = []
                self.begin_stream(s, j)
            self.send(self.control, n, j, ('row', self.row[n]))
            if self.shows(n) is not None:
                self.send(self.control, n, j, ('show', self.known[n][n]))
            for leader, record in self.known[n].items():
                if record.taken != n:  # it may have withdrawn a take-over
                    self.send(self.control, n, j, ('withdraw', leader))
            if self.proposal[n]:
                self.proposal[n].asked.discard(j)
            if self.leader[n]:
                self.tell_loaded(n, j)
            elif self.led[n] and self.on('TAKE_BACK_BEHIND_LEAVE'):
                self.send(self.shared, n, j, ('filters', self.copy[n, n].later))
            else:
                self.send(self.shared, n, j, ('take back',))
            self.send(self.shared, n, j, ('known',))

    def begin_stream(self, s, j):
        """Sends the marks that the source has set, and what is unanswered, once more."""
        source = self.source[s]
        resent = [(position, sent.kind, sent.message)
                  for position, sent in source.unanswered[j].items()]
        if j in source.entered:
            position, tenure = source.entered[j]
            resent.append((position, 'enter', tenure))
        elif source.tenure and source.leader != j:
            resent.append((0, 'leave', source.tenure))
        self.records[s, j] = sorted(resent, key=lambda each: each[0])

    def link_ended(self, n, j):
        """Forgets a start that has ended, when all that came from it was handled."""
        if self.hears[n, j]:
            self.goes_silent(n, j)
        self.link[n, j] = None
        for s in SHARDS[j]:
            self.new_stream(s, n)
        for s in SHARDS[n]:  # its transient sessions are gone
            for position, sent in list(self.source[s].unanswered[j].items()):
                if not sent.durable:
                    del self.source[s].unanswered[j][position]
                    self.close(sent.message)

    def goes_silent(self, n, j):
        self.hears[n, j] = False
        leader = self.leader[n]
        if leader:
            if leader.follower == j:
                self.lose_follower(n)
            self.look(n)

    def lose_follower(self, n):
        leader = self.leader[n]
        leader.follower, leader.settled = None, False

    def may_kill(self, j):
        """Says whether the newest sets keep a member without this node."""
        leader = max(self.row.values(), key=lambda r: r[0])[1]
        records = sorted({self.known[n][leader] for n in NODES}, key=lambda r: r.version)[-2:]
        gone = self.killed | {j}
        return j not in self.killed and all(r.whole - gone for r in records)

    # ---- schedule

    def actions(self, chaos):
        """Returns what may happen next, as (weight, what, arguments)."""
        acts = []
        for n in NODES:
            if not self.runs(n):
                continue
            for s in SHARDS[n]:
                if chaos and len(self.messages) < 60 and self.may_publish(n):
                    acts.append((3, self.publish, (s,)))
                if self.box[s]:
                    acts.append((2, self.switch_over, (s,)))
                for pair in ANSWERS_TO[s]:
                    if self.answers[pair] and (pair[0], n) not in self.cut:
                        acts.append((3, self.on_answer, pair))
            for pair in RECORDS_TO[n]:
                if self.records[pair] and (NODE[pair[0]], n) not in self.cut:
                    acts.append((3, self.on_record, pair))
            for pair in TO[n]:
                if pair not in self.cut:
                    if self.shared[pair] and self.may_handle_shared(*pair):
                        acts.append((2, self.on_shared, pair))
                    if self.control[pair]:
                        acts.append((2, self.on_control, pair))
                    if self.parts[pair]:
                        acts.append((3, self.on_part, pair))
                    if self.confirmations[pair]:
                        acts.append((3, self.on_confirmation, pair))
                self.link_actions(acts, n, pair)
            self.leadership_actions(acts, n, chaos)
        if chaos:
            self.fault_actions(acts)
        elif self.forgotten != self.killed and self.may_forget():
            acts.append((1, self.forget, ()))
        for n in NODES:
            if n in self.asleep:
                acts.append((.2 if chaos else 1, self.wake, (n,)))
            if not self.up[n] and n not in self.killed:
                acts.append((.4 if chaos else 1, self.restart, (n,)))
        for c in sorted(self.cut):
            acts.append((.1 if chaos else 1, self.cut.discard, (c,)))
        return acts

    def link_actions(self, acts, n, pair):
        j, key = pair[0], (n, pair[0])
        same = self.link[key] == (self.start[n], self.start[j])
        silent = pair in self.cut or j in self.asleep
        hears = self.hears[key]
        if hears and same and not silent and self.up[j]:
            return
        ended = self.link[key] and not (self.up[j] and same) and not self.left_over(j, n)
        if ended:
            acts.append((2, self.link_ended, key))
        elif hears:
            if silent:
                acts.append((1, self.goes_silent, key))
        elif self.linked(n, j) and self.runs(j) and pair not in self.cut:
            acts.append((1, self.heard_again, key))
        if n < j and self.runs(j) and not same and not self.cut & {key, pair} \
                and not self.left_over(j, n) and not self.left_over(n, j):
            acts.append((2, self.open_link, key))
        if not hears and self.can_settle(n, j):
            acts.append((1, self.settle, key))

    def leadership_actions(self, acts, n, chaos):
        leader, proposal = self.leader[n], self.proposal[n]
        if n in LEADERS and not leader and self.may_propose(n):
            acts.append((1, self.propose, (n,)))
        if proposal and self.proposal_may_go_on(n):
            acts.append((2, self.proposal_goes_on, (n,)))
        if (leader or proposal) and self.owed(n):
            acts.append((.5, self.show_owed, (n,)))
        if not leader:
            return
        if self.client == n:
            acts.append((2, self.deliver, (n,)))
            acts.append((2, self.acknowledge, (n,)))
        else:
            served = self.leader[self.client]
            if not served or not self.runs(self.client) or self.was_cut and chaos:
                acts.append((1, self.__setattr__, ('client', n)))
        f = leader.follower
        if f is not None and chaos and self.transfers_left and leader.settled:
            acts.append((.15, self.transfer, (n,)))
        if f is not None and self.cut & {(n, f), (f, n)}:
            acts.append((.5, self.lose_follower, (n,)))
        if f is None and self.needs_follower(n):
            acts.append((1, self.choose_follower, (n,)))
        if not leader.settled:
            acts.append((.5, self.look, (n,)))
        if not self.copy[n, n].later:
            acts.append((.3, self.subscribe, (n,)))
        elif not self.subscribed and self.may_answer_subscribe(n):
            acts.append((1, self.answer_subscribe, ()))

    def heard_again(self, n, j):
        """Hears a node again by the same link."""
        self.hears[n, j] = True
        self.send(self.control, n, j, ('row', self.row[n]))

    def fault_actions(self, acts):
        if len(self.messages) < 70 and self.runs(3):
            if self.mover_may_publish():
                acts.append((4, self.publish, (self.mover_at, True,)))
            acts.append((1.5, self.move, ()))
        running = [n for n in LEADERS if self.runs(n)]
        for n in running:
            weight = self.pace * (.12 if self.leader[n] else .04)
            if self.kills_left and len(running) > 1:
                acts.append((weight, self.kill, (n,)))
            if self.sleeps_left and len(running) > 1:
                acts.append((weight, self.sleep, (n,)))
            if self.restarts_left and len(running) > 1:
                acts.append((weight * 1.5, self.crash, (n,)))
        if self.runs(3) and self.restarts_left:
            acts.append((.04 * self.pace, self.crash, (3,)))
        if self.cuts_left:
            acts.append((.2 * self.pace, self.cut_links, ()))

    def move(self):
        self.mover_at = 7 - self.mover_at

    def transfer(self, n):
        self.transfers_left -= 1
        self.say('node', n, 'gives to', self.leader[n].follower)
        self.send(self.control, n, self.leader[n].follower, ('yours', self.known[n][n].version))

    def kill(self, n):
        if not self.may_kill(n):
            return
        self.say('node', n, 'is killed for ever')
        self.kills_left -= 1
        self.killed.add(n)
        self.stop(n)

    def crash(self, n):
        self.say('node', n, 'is killed')
        self.restarts_left -= 1
        self.stop(n)

    def sleep(self, n):
        self.say('node', n, 'sleeps')
        self.sleeps_left -= 1
        self.asleep.add(n)

    def wake(self, n):
        self.say('node', n, 'wakes up')
        self.asleep.discard(n)

    def cut_links(self):
        """Cuts one node off, or one pair, one way or both ways."""
        self.cuts_left -= 1
        n = self.random.choice(NODES)
        others = [j for j in NODES if j != n and self.up[j] and self.up[n]]
        if others and self.random.random() < .6:
            others = [self.random.choice(others)]
        way = self.random.choice((1, 2, 3))
        for j in others:
            self.cut |= {c for bit, c in ((1, (n, j)), (2, (j, n))) if way & bit}
            self.was_cut = True
        self.say('cut', sorted(self.cut))

    def step(self, chaos):
        acts = self.actions(chaos)
        if not acts:
            return False
        _, what, args = self.random.choices(acts, [a[0] for a in acts])[0]
        if self.trace and what.__name__ not in ('deliver', 'acknowledge'):
            print('  ', what.__name__, *args)
        what(*args)
        return True

    def forget(self):
        """Forgets nodes that are killed for ever: an operator does, when all others are there."""
        self.forgotten = set(self.killed)
        self.dead |= self.killed
        for records in self.known.values():
            for leader, record in records.items():
                if record.taken in self.forgotten:
                    records[leader] = record._replace(taken=None)

    def may_forget(self):
        live = [x for x in NODES if x not in self.killed]
        return self.forgotten != self.killed and not self.asleep and not self.cut \
            and all(self.hears[a, b] and self.linked(a, b) for a in live for b in live)

    def settled(self):
        leading = [n for n in LEADERS if self.leader[n] and self.up[n]]
        if len(leading) != 1 or self.asleep or self.cut:
            return False
        n = leading[0]
        leader = self.leader[n]
        live = [x for x in NODES if self.up[x]]
        return len(live) + len(self.killed) == len(NODES) and self.client == n \
            and not leader.waiting and leader.settled \
            and all(self.hears[a, b] == self.up[b] for a in live for b in NODES) \
            and not any(self.left_over(a, b) for a in live for b in live) \
            and not any(self.box.values()) and not any(self.proposal.values()) \
            and not any(self.can_settle(a, b) for a in live for b in NODES) \
            and all(e[0] in leader.delivered for e in self.copy[n, n].queue)

    def check(self):
        """Returns what has failed."""
        failures = self.failures
        if not self.settled():
            failures.add('not settled')
        received = set(self.received)
        if any(m.checked for m in self.acknowledged - received):
            failures.add('lost')
        last, seen = {}, set()
        for message in self.received:
            if message in seen:
                if message.qos == 2:
                    failures.add('twice')
                continue
            seen.add(message)
            if message.checked:  # one of before SUBACK may come late
                if last.get(message[:2], 0) > message.number:
                    failures.add('order')
                last[message[:2]] = message.number
        for messages in self.transient.values():
            last = {}
            for message in messages:
                if last.get(message[:2], 0) >= message.number:
                    failures.add('transient')
                last[message[:2]] = message.number
        for message in self.messages:
            s, start = message.publisher
            n = 3 if s == MOVER else NODE[s]
            lives = self.up[n] and start == self.start[n]
            if lives and message not in self.acknowledged:
                failures.add('not answered')
        return failures


def run(seed, off=frozenset(), trace=False):
    world = World(seed, off, trace)
    for _ in range(330):
        world.step(True)
    for step in range(8000):
        if step % 5 == 0 and world.settled():
            break
        if not world.step(False):
            break
    return world


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seeds', type=int, default=1, metavar='N')
    parser.add_argument('--first', type=int, default=1, metavar='SEED')
    parser.add_argument('--seed', type=int, help='run this seed only')
    parser.add_argument('--off', default='', help='rules to switch off: ' + ', '.join(RULES))
    parser.add_argument('--trace', action='store_true')
    options = parser.parse_args()
    off = frozenset(r for r in options.off.upper().split(',') if r)
    if off - RULES.keys():
        parser.error('no such rule: ' + ', '.join(sorted(off - RULES.keys())))
    first, count = (options.seed, 1) if options.seed is not None else (options.first, options.seeds)
    failed, kinds, total = [], {}, dict(messages=0, leaders=0, again=0, cut=0)
    for seed in range(first, first + count):
        world = run(seed, off, options.trace)
        failures = world.check()
        total['messages'] += len(world.messages)
        total['leaders'] += max(r[0] for r in world.row.values()) - 1
        total['again'] += len(world.received) - len(set(world.received))
        total['cut'] += world.was_cut
        if failures:
            failed.append(seed)
            for what in failures:
                kinds.setdefault(what, []).append(seed)
    print('off:', ', '.join(sorted(off)) or 'nothing', '| seeds', count, '| failed', len(failed),
          f'({100 * len(failed) / count:.1f} %)', '|',
          ', '.join(f'{k} {len(v)} {v[:5]}' for k, v in sorted(kinds.items())), '|', total)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
