#!/usr/bin/env python3
"""Runs random schedules of leadership changes of one slot, and checks what clients see.

  slots_model.py --seeds N [--first SEED] [--off RULE[,RULE]] [--switch-over WAY]
  slots_model.py --seed S [--off RULE] [--switch-over WAY] [--trace]

README.md beside this file says what is modelled, and what each rule is.
"""
import argparse
import random
import sys

LEADERS = (0, 1, 2)  # nodes that may lead the slot
NODES = (0, 1, 2, 3)
SOURCES = (0, 1, 2, 3, 4)  # sources 3 and 4 are two shards of node 3
SHARDS = {0: (0,), 1: (1,), 2: (2,), 3: (3, 4)}
NODE = {0: 0, 1: 1, 2: 2, 3: 3, 4: 3}
MOVER = 9  # a publisher that changes between sources 3 and 4

RULES = {
    'GATE': 'a node takes a record for S only from a source that has entered S there',
    'HOLD': 'what comes behind ENTER is held until ENABLE',
    'NOT_LEADER': 'what was not taken for S is answered NOT_LEADER, not with success',
    'RESEND': 'the source redirects what is unanswered or was answered NOT_LEADER',
    'WAIT_FORMER': 'the source waits for all answers of a former leader that it hears',
    'TAIL': 'YOURS leaves when the follower has confirmed everything',
    'INGRESS_IDS': 'the queue remembers ingress ids of QoS 2, and the copy too',
    'SHOWN': 'a set counts when every live node has seen its record',
    'LATE_ENTER': 'ENTER for an epoch that is not led here closes the gate',
    'LEAVE': 'a source that goes to another leader leaves S at the former one',
    'REDIRECT_EPOCH': 'a redirected publish is taken under exactly its epoch',
    'FILTERS_BEFORE_LEADS': 'the filters of S are told before LEADS',
    'TAKE_BACK_BEHIND_LEAVE': 'filters are taken back when all sources of a node have left',
    'WAIT_ALL_ON_SOURCE_CHANGE': 'a publisher that changes its source waits for all its answers, '
                                 'not only for those of the leader',
    'WAIT_OTHER_NODES': 'it waits for nodes that its next message does not go to, too',
    'PROMISE': 'a node that was asked refuses lower epochs',
    'PROMISE_DURABLE': 'a promise survives a restart',
    'RECORD_NAMES_ME': 'a node leads only if the newest record that it is told of names it',
    'HEARS': 'nobody takes over who hears somebody that hears the leader',
}


class Leader:
    """The state of a node that leads S."""

    def __init__(self, epoch, follower):
        self.epoch, self.follower, self.version = epoch, follower, 1
        self.fenced = False
        self.waiting = []  # (operations before it, source, position, message)
        self.sent = self.confirmed = 0
        self.delivered = set()
        self.unshown = set()  # nodes that have not seen the record yet


class Copy:
    """What a node has on its disk of S."""

    def __init__(self):
        self.queue, self.taken = [], set()  # (message id, message); messages ever taken
        self.epoch = (1, 0, 0)


class Source:
    """A shard that publishes: what it believes of S and what it has sent."""

    def __init__(self):
        self.epoch, self.leader = None, None
        self.former = []  # (node, first position, last position)
        self.first = 0  # the leader's stream is for S from this position on
        self.enabled = True
        self.position = {j: 0 for j in NODES}
        self.unanswered = {j: {} for j in NODES}  # position -> Sent
        self.parked = []  # with 'pause': positions to the leader that are not sent yet
        self.carried = []  # messages for S that have no other record for S
        self.counts = {1: 0, 2: 0}


class Sent:
    def __init__(self, message, scope):
        self.message, self.scope, self.refused = message, scope, False


class World:
    def __init__(self, seed, off, switch_over, trace):
        self.random = random.Random(seed)
        self.off, self.trace = off, trace
        self.gates_hold = switch_over == 'gates'  # else the source sends ENTER last
        self.waits_for_former = switch_over != 'redirect' and self.on('WAIT_FORMER')
        r = self.random
        self.kills_left = r.choice((0, 1, 2))
        self.sleeps_left = r.choice((0, 1, 2, 3))
        self.restarts_left = r.choice((0, 0, 1, 3))
        self.cuts_left = r.choice((0, 0, 0, 0, 2, 4))
        self.transfers_left = 3
        self.was_cut = False
        self.up = {n: True for n in NODES}
        self.killed, self.asleep, self.starting = set(), set(), set()
        self.start = {n: 0 for n in NODES}
        pairs = [(a, b) for a in NODES for b in NODES]
        self.cut = set()  # (a, b): nothing comes from a to b
        self.hears = {p: True for p in pairs}  # (n, j): n hears j
        self.link = {(a, b): (0, 0) for a, b in pairs}  # starts of both between which it is
        self.records = {(s, j): [] for s in SOURCES for j in NODES}
        self.answers = {(j, s): [] for s in SOURCES for j in NODES}
        self.shared = {p: [] for p in pairs}  # filters, LEADS
        self.control = {p: [] for p in pairs}
        self.parts = {p: [] for p in pairs}
        self.confirmations = {p: [] for p in pairs}
        self.box = {s: [] for s in SOURCES}  # LEADS on their way to a shard
        self.gate = {(j, s): 'OFF' for s in SOURCES for j in NODES}
        self.held = {(j, s): [] for s in SOURCES for j in NODES}
        self.index = {n: {0: (1, 0, 0)} for n in NODES}  # node that told n filters of S -> epoch
        self.told = {n: (0, 0, 0) for n in NODES}  # highest epoch that n has told as a leader
        self.told[0] = (1, 0, 0)
        self.left = {(j, s): (0, 0, 0) for s in SOURCES for j in NODES}  # where the source is now
        self.source = {s: Source() for s in SOURCES}
        self.copy = {n: Copy() for n in LEADERS}
        first = (1, 0, 0)
        self.record = {n: (first, 1, frozenset((0, 1))) for n in NODES}
        self.promise = {n: first for n in NODES}
        self.question = {n: None for n in NODES}  # [epoch, nodes that have not answered]
        self.given = {n: None for n in NODES}  # (node, its start) that was sent YOURS
        self.yours = {n: None for n in NODES}  # epoch of the leader that sent YOURS
        self.leader = {n: None for n in NODES}
        self.leader[0] = Leader(first, 1)
        for s in SOURCES:
            self.gate[0, s] = 'ON'
            self.source[s].epoch, self.source[s].leader = first, 0
        self.client = 0  # the leader that serves the subscriber
        self.top = first
        self.mover_at, self.mover_counts = 3, {1: 0, 2: 0}
        self.next_id = self.next_ingress = 0
        self.messages, self.acknowledged, self.open = [], set(), {}
        self.received, self.received_ids = [], set()
        self.transient = {n: [] for n in NODES}
        self.split = set()  # messages of a leader beside a higher one, during a cut
        self.held_most = self.parked_most = 0

    def on(self, rule):
        return rule not in self.off

    def say(self, *words):
        if self.trace:
            print(*words)

    def runs(self, n):
        return self.up[n] and n not in self.asleep

    def linked(self, a, b):
        return self.up[a] and self.up[b] and self.link[a, b] == (self.start[a], self.start[b])

    def send(self, channels, a, b, message):
        """Puts a message into a channel between two nodes, if there is a link."""
        if a != b and self.linked(a, b):
            channels[a, b].append(message)

    # ---- sources

    def publish(self, s, mover=False):
        source = self.source[s]
        qos = self.random.choice((1, 2))
        counts = self.mover_counts if mover else source.counts
        counts[qos] += 1
        self.next_ingress += 1
        publisher = MOVER if mover else (s, self.start[NODE[s]])
        transient = not mover and self.random.random() < .5  # transient sessions match, too
        message = (publisher, qos, counts[qos], self.next_ingress, transient)
        self.messages.append(message)
        self.open[message] = 1
        n = NODE[s]
        for j in NODES:
            matches = j in self.index[n] and (j == source.leader or self.link[n, j])
            if matches or transient and (j == n or self.hears[n, j]):
                park = not self.gates_hold and not source.enabled and j == source.leader
                self.add(s, j, 'record', message, None, park)
        self.close(message)

    def close(self, message):
        self.open[message] -= 1
        if not self.open[message]:
            self.acknowledged.add(message)

    def add(self, s, j, kind, body, scope=None, park=False):
        """Puts a record or mark into the stream from a source to a node."""
        source = self.source[s]
        source.position[j] += 1
        position = source.position[j]
        if kind == 'record':
            source.unanswered[j][position] = Sent(body, scope)
            self.open[body] += 1
        if park:
            source.parked.append(position)
            self.parked_most = max(self.parked_most, len(source.parked))
        elif self.stream(s, j):
            self.records[s, j].append((position, kind, body, scope))

    def stream(self, s, j):
        return NODE[s] == j or self.linked(NODE[s], j)

    def on_leads(self, s, epoch, leader):
        """Switches a source over to a new leader."""
        source, n = self.source[s], NODE[s]
        if source.epoch is not None and epoch <= source.epoch:
            if leader != source.leader and self.on('LEAVE'):
                self.add(s, leader, 'leave', source.epoch)
            return
        self.say('source', s, 'switches to', epoch)
        former = source.leader
        if former is not None:
            self.unpark_without_slot(s)
            if self.on('LEAVE'):
                self.add(s, former, 'leave', epoch)
            source.former.append((former, source.first, source.position[former]))
        source.epoch, source.leader = epoch, leader
        source.first = source.position[leader] + 1
        source.enabled = False
        if self.gates_hold:
            self.add(s, leader, 'enter', epoch)
        self.drop_filters(n)
        self.switch_over(s)

    def unpark_without_slot(self, s):
        """Sends what is parked for a leader that was followed by another one: not for S."""
        source = self.source[s]
        for position in source.parked:
            sent = source.unanswered[source.leader][position]
            source.carried.append(sent.message)
            self.open[sent.message] += 1
            if self.stream(s, source.leader):
                self.records[s, source.leader].append((position, 'record', sent.message, None))
        source.parked = []

    def switch_over(self, s):
        """Redirects what former leaders have not taken, and enables the new one."""
        source, n = self.source[s], NODE[s]
        if source.enabled:
            return
        todo = set(source.carried)
        moved = []
        for j, first, last in source.former:
            for position, sent in source.unanswered[j].items():
                if first <= position <= last:
                    lives = j == n or self.hears[n, j]
                    if not sent.refused and lives and self.waits_for_former:
                        return
                    todo.add(sent.message)
                    moved.append((j, position))
        source.former = []
        if self.on('RESEND'):
            for message in sorted(todo, key=lambda m: m[3]):
                self.add(s, source.leader, 'record', message, source.epoch)
        for j, position in moved:
            self.close(source.unanswered[j].pop(position).message)
        for message in source.carried:
            self.close(message)
        source.carried = []
        source.enabled = True
        if not self.gates_hold:
            self.add(s, source.leader, 'enter', source.epoch)
            for position in source.parked:
                if self.stream(s, source.leader):
                    message = source.unanswered[source.leader][position].message
                    self.records[s, source.leader].append((position, 'record', message, None))
            source.parked = []
        else:
            self.add(s, source.leader, 'enable', source.epoch)

    def on_answer(self, j, s):
        position, taken = self.answers[j, s].pop(0)
        sent = self.source[s].unanswered[j].get(position)
        if sent is None:
            return
        if not taken and self.was_for_slot(s, j, position):
            sent.refused = True
        else:
            del self.source[s].unanswered[j][position]
            self.close(sent.message)
        self.switch_over(s)

    def was_for_slot(self, s, j, position):
        """Says whether a record was for S at that node, as its source knows."""
        source = self.source[s]
        return (j == source.leader and position >= source.first) or any(
            j == f and first <= position <= last for f, first, last in source.former)

    def drop_filters(self, n):
        """Drops the filters of silent former leaders when all shards have the new one."""
        epochs = [self.source[s].epoch for s in SHARDS[n]]
        if None not in epochs:
            for j, told in list(self.index[n].items()):
                if told < min(epochs) and j != n and not self.hears[n, j]:
                    del self.index[n][j]

    def mover_may_publish(self):
        here, other = self.source[self.mover_at], self.source[7 - self.mover_at]
        if here.leader is None:
            return False
        if not self.on('WAIT_ALL_ON_SOURCE_CHANGE'):
            nodes = (here.leader,)
        elif not self.on('WAIT_OTHER_NODES'):
            nodes = self.index[3]
        elif any(m[0] == MOVER for m in other.carried):
            return False
        else:
            nodes = NODES
        return not any(sent.message[0] == MOVER
                       for j in nodes for sent in other.unanswered[j].values())

    # ---- a node that gets records

    def reply(self, j, s, position, taken):
        if self.stream(s, j):
            self.answers[j, s].append((position, taken or not self.on('NOT_LEADER')))

    def take(self, j, s, position, message):
        """Appends a record to the queue of the session in S, if this node leads."""
        leader = self.leader[j]
        if not leader or leader.fenced:
            self.reply(j, s, position, False)
            return
        copy = self.copy[j]
        if not (message[1] == 2 and message in copy.taken and self.on('INGRESS_IDS')):
            self.next_id += 1
            copy.queue.append((self.next_id, message))
            copy.taken.add(message)
            self.ship(j, ('append', self.next_id, message))
        leader.waiting.append((leader.sent, s, position, message))
        self.release(j)

    def is_cut_off(self, j):
        return self.was_cut and any(self.runs(x) and not self.hears[j, x] for x in NODES)

    def ship(self, j, operation):
        leader = self.leader[j]
        if leader.follower is not None:
            leader.sent += 1
            self.send(self.parts, j, leader.follower, (leader.epoch, leader.version, operation))

    def release(self, j):
        """Answers what is confirmed by the set that every live node has seen."""
        leader = self.leader[j]
        while leader.waiting and leader.waiting[0][0] <= leader.confirmed and not leader.unshown:
            _, s, position, message = leader.waiting.pop(0)
            if self.is_cut_off(j):
                self.split.add(message)
            self.reply(j, s, position, True)

    def on_record(self, s, j):
        position, kind, body, scope = self.records[s, j].pop(0)
        leader, gate = self.leader[j], self.gate[j, s]
        held = self.held[j, s]
        if kind == 'leave':
            self.refuse_held(j, s)
            self.gate[j, s] = 'OFF'
            self.left[j, s] = max(self.left[j, s], body)
            self.take_back(j, NODE[s])
        elif kind == 'enter':
            self.refuse_held(j, s)
            leads = leader and not leader.fenced and leader.epoch == body
            open_gate = 'HOLD' if self.on('HOLD') and self.gates_hold else 'ON'
            self.gate[j, s] = open_gate if leads or not self.on('LATE_ENTER') else 'GONE'
        elif kind == 'enable':
            if gate == 'HOLD':
                self.gate[j, s] = 'ON'
                self.held[j, s] = []
                for before, message in held:
                    self.take(j, s, before, message)
        elif scope is not None:
            if leader and (leader.epoch == scope or not self.on('REDIRECT_EPOCH')):
                self.take(j, s, position, body)
            else:
                self.reply(j, s, position, False)
        else:
            if body[4]:
                self.transient[j].append(body)
            if not self.on('GATE') and leader or gate == 'ON':
                self.take(j, s, position, body)
            elif gate == 'HOLD':
                held.append((position, body))
                self.held_most = max(self.held_most, len(held))
            else:
                self.reply(j, s, position, gate == 'OFF')

    def refuse_held(self, j, s):
        for position, _ in self.held[j, s]:
            self.reply(j, s, position, False)
        self.held[j, s] = []

    def close_gates(self, j):
        for s in SOURCES:
            if self.gate[j, s] != 'OFF':
                self.refuse_held(j, s)
                self.gate[j, s] = 'GONE'

    def take_back(self, j, n, at_once=False):
        """Takes the filters of S back at a node when all its sources have left."""
        if self.leader[j] or j not in LEADERS:
            return
        if at_once or all(self.left[j, s] > self.told[j] for s in SHARDS[n]):
            if n == j:
                self.index[j].pop(j, None)
            else:
                self.send(self.shared, j, n, ('take back',))

    # ---- leadership

    def lead(self, j, epoch):
        self.say('node', j, 'leads', epoch)
        if self.was_cut and any(self.up[x] and not self.hears[j, x] for x in NODES if x != j):
            for other in LEADERS:  # a node out of reach may have acknowledged more
                self.split |= self.copy[other].taken - self.copy[j].taken
        leader = self.leader[j] = Leader(epoch, None)
        self.copy[j].epoch = self.promise[j] = epoch
        self.question[j] = self.given[j] = None
        self.top = max(self.top, epoch)
        self.client = j
        self.index[j][j] = self.told[j] = epoch
        self.choose_follower(j)
        if self.leader[j] is not leader:
            return
        for n in NODES:
            self.tell_leads(j, n)

    def tell_leads(self, j, n):
        leader = self.leader[j]
        messages = [('filters', leader.epoch), ('leads', leader.epoch)]
        if not self.on('FILTERS_BEFORE_LEADS'):
            messages.reverse()
        if n == j:
            for s in SHARDS[j]:
                self.box[s].append((leader.epoch, j))
        for message in messages:
            self.send(self.shared, j, n, message)

    def choose_follower(self, j):
        """Chooses a follower, fills it, and shows the new record."""
        leader = self.leader[j]
        able = [x for x in LEADERS if x != j and self.runs(x) and self.hears[j, x]
                and self.linked(j, x) and not self.cut & {(j, x), (x, j)}]
        follower = self.random.choice(able) if able else None
        if follower is not None:
            other = self.leader[follower]
            if self.promise[follower] > leader.epoch or other and other.epoch > leader.epoch:
                self.step_down(j)
                return
            if other:
                self.step_down(follower)
            self.fill(j, follower)
        leader.follower = follower
        leader.version += 1
        leader.confirmed = leader.sent
        members = frozenset({j, follower} - {None})
        self.record[j] = (leader.epoch, leader.version, members)
        if follower is not None:
            self.record[follower] = self.record[j]  # comes with the copy
        heard = {x for x in NODES if x != j and self.hears[j, x] and self.linked(j, x)}
        leader.unshown = heard if self.on('SHOWN') else set()
        for x in heard:
            self.send(self.control, j, x, ('show', self.record[j]))
        self.say('node', j, 'set', sorted(members), 'version', leader.version)
        self.release(j)

    def fill(self, j, follower):
        copy = self.copy[follower]
        copy.queue, copy.taken = list(self.copy[j].queue), set(self.copy[j].taken)
        copy.epoch = self.leader[j].epoch
        self.promise[follower] = max(self.promise[follower], copy.epoch)
        for x in NODES:
            self.parts[x, follower] = []
            self.confirmations[follower, x] = []

    def fence(self, j):
        self.say('node', j, 'is fenced')
        self.leader[j].fenced = True
        self.close_gates(j)

    def step_down(self, j):
        leader = self.leader[j]
        if not leader:
            return
        self.say('node', j, 'steps down')
        self.leader[j] = None
        self.close_gates(j)
        for _, s, position, _ in leader.waiting:
            self.reply(j, s, position, False)
        for n in NODES:
            self.take_back(j, n, not self.on('TAKE_BACK_BEHIND_LEAVE'))

    def may_give(self, j):
        leader = self.leader[j]
        done = leader.confirmed >= leader.sent and not leader.unshown
        return leader.fenced and leader.follower is not None and (done or not self.on('TAIL'))

    def give(self, j):
        leader, f = self.leader[j], self.leader[j].follower
        self.say('node', j, 'gives to', f)
        self.send(self.control, j, f, ('yours', leader.epoch))
        self.given[j] = (f, self.link[j, f][1])
        self.step_down(j)

    def on_part(self, j, f):
        epoch, version, operation = self.parts[j, f].pop(0)
        copy = self.copy[f]
        if epoch < self.promise[f] and self.on('PROMISE') or epoch != copy.epoch:
            self.send(self.control, f, j, ('refused', max(self.promise[f], copy.epoch)))
            return
        if operation[0] == 'append':
            copy.queue.append(operation[1:])
            copy.taken.add(operation[2])
        else:
            copy.queue = [e for e in copy.queue if e[0] != operation[1]]
        self.send(self.confirmations, f, j, (epoch, version))

    def on_confirmation(self, f, j):
        epoch, version = self.confirmations[f, j].pop(0)
        leader = self.leader[j]
        if leader and (leader.epoch, leader.version, leader.follower) == (epoch, version, f):
            leader.confirmed += 1
            self.release(j)

    def on_shared(self, j, n):
        message = self.shared[j, n].pop(0)
        if message[0] == 'filters':
            self.index[n][j] = message[1]
        elif message[0] == 'take back':
            self.index[n].pop(j, None)
        else:
            self.heard_epoch(n, message[1])
            for s in SHARDS[n]:
                self.box[s].append((message[1], j))

    def heard_epoch(self, n, epoch):
        if self.leader[n] and self.leader[n].epoch < epoch:
            self.step_down(n)

    def on_control(self, j, n):
        kind, *body = self.control[j, n].pop(0)
        leader = self.leader[n]
        if kind == 'show':
            record = body[0]
            known = self.promise[n] if self.on('PROMISE') else self.record[n][0]
            if record[0] < max(known, self.record[n][0]):
                self.send(self.control, n, j, ('refused', max(known, self.record[n][0])))
            else:
                self.record[n] = max(self.record[n], record, key=lambda r: r[:2])
                self.promise[n] = max(self.promise[n], record[0])
                self.heard_epoch(n, record[0])
                self.send(self.control, n, j, ('shown', record[:2]))
        elif kind == 'shown':
            if leader and body[0] == (leader.epoch, leader.version):
                leader.unshown.discard(j)
                self.release(n)
        elif kind == 'refused':
            self.heard_epoch(n, body[0])
        elif kind == 'yours':
            self.yours[n] = body[0]
        elif kind == 'ask':
            self.on_ask(n, j, *body)
        elif kind == 'answer':
            self.on_promise(n, j, *body)

    # ---- a takeover: ask everybody who is heard, then lead

    def leader_is_gone(self, n):
        """Says whether this node hears that nobody leads, and may ask for a takeover."""
        epoch, _, members = self.record[n]
        if self.leader[n] or self.question[n] or n not in members:
            return False
        if n in self.starting:  # it waits for all that it can reach
            if any(self.runs(j) and not self.linked(n, j) for j in NODES
                   if not self.cut & {(n, j), (j, n)}):
                return False
            self.starting.discard(n)
        if self.yours[n] == self.record[n][0]:
            return True
        if self.given[n]:
            f, start = self.given[n]
            if self.hears[n, f] and self.link[n, f] == (self.start[n], start):
                return False
        return epoch[2] == n or not self.hears_leader(n, epoch)

    def hears_leader(self, n, epoch):
        j = epoch[2]
        return self.hears[n, j] and self.linked(n, j) and self.start[j] == epoch[1]

    def ask(self, n):
        changes = max(self.record[n][0][0], self.promise[n][0]) + 1
        epoch = (changes, self.start[n], n)
        self.say('node', n, 'asks for', epoch)
        self.promise[n] = epoch
        given = self.record[n][0][2] == n or self.yours[n] == self.record[n][0]
        heard = {x for x in NODES if x != n and self.hears[n, x] and self.linked(n, x)}
        self.question[n] = [epoch, heard]
        for x in heard:
            self.send(self.control, n, x, ('ask', epoch, self.record[n], given))
        self.count_answers(n)

    def on_ask(self, n, j, epoch, record, given):
        hears = not given and record[0][2] != n and self.hears_leader(n, record[0])
        leads = self.leader[n] is not None and not self.leader[n].fenced
        refused = hears and self.on('HEARS') or leads or epoch < self.promise[n]
        if not refused:
            self.promise[n] = epoch
            self.heard_epoch(n, epoch)
        self.send(self.control, n, j,
                  ('answer', epoch, not refused, self.record[n], self.promise[n]))

    def on_promise(self, n, j, epoch, promised, record, promise):
        question = self.question[n]
        if not question or question[0] != epoch:
            return
        self.promise[n] = max(self.promise[n], promise)
        newer = record[:2] > self.record[n][:2]
        if newer and self.on('RECORD_NAMES_ME'):
            self.record[n] = record
        if not promised or newer and self.on('RECORD_NAMES_ME'):
            self.question[n] = None
            return
        question[1].discard(j)
        self.count_answers(n)

    def count_answers(self, n):
        question = self.question[n]
        if question and not question[1]:
            self.question[n] = None
            if self.promise[n] == question[0]:
                self.lead(n, question[0])

    # ---- the subscriber

    def deliver(self, j):
        leader = self.leader[j]
        confirmed = leader.confirmed >= leader.sent and not leader.unshown
        for message_id, message in self.copy[j].queue:
            if message_id in leader.delivered:
                continue
            if message[1] == 2 and not confirmed:
                return
            leader.delivered.add(message_id)
            if leader.epoch < self.top and self.is_cut_off(j):
                self.split.add(message)
            if message[1] == 1 or message_id not in self.received_ids:
                self.received_ids.add(message_id)
                self.received.append(message)
            return

    def acknowledge(self, j):
        leader, copy = self.leader[j], self.copy[j]
        confirmed = leader.confirmed >= leader.sent and not leader.unshown
        able = [e for e in copy.queue
                if e[0] in leader.delivered and (e[1][1] == 1 or confirmed)]
        if able and not leader.fenced:
            entry = self.random.choice(able[:2])
            copy.queue.remove(entry)
            self.ship(j, ('remove', entry[0]))

    # ---- faults

    def left_over(self, j, n):
        """Says whether something of an ended start of a node is still on its way."""
        return any(c[j, n] for c in (self.shared, self.control, self.parts, self.confirmations)) \
            or any(self.records[s, n] for s in SHARDS[j]) \
            or any(self.answers[j, s] for s in SHARDS[n])

    def stop(self, j):
        self.up[j] = False
        self.asleep.discard(j)
        self.cut = {c for c in self.cut if j not in c}
        self.leader[j] = self.question[j] = self.given[j] = self.yours[j] = None
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
                self.gate[j, s] = 'OFF'
                self.held[j, s] = []
            for s in SHARDS[j]:
                self.answers[n, s] = []
        for s in SHARDS[j]:
            self.records[s, j], self.answers[j, s], self.box[s] = [], [], []
            positions = self.source[s].position
            self.source[s] = Source()
            self.source[s].position = positions

    def restart(self, j):
        self.say('node', j, 'starts')
        self.up[j] = True
        self.start[j] += 1
        self.starting.add(j)
        self.transient[j] = []
        self.index[j] = {}
        if not self.on('PROMISE_DURABLE'):
            self.promise[j] = max(self.copy[j].epoch, self.record[j][0])
        for n in NODES:
            self.hears[j, n] = n == j
            self.link[j, n] = None
        self.link[j, j] = (self.start[j], self.start[j])

    def open_link(self, a, b):
        """Opens a link between starts that had none, with new streams."""
        for n, j in ((a, b), (b, a)):
            if self.link[n, j]:
                self.link_ended(n, j)
            self.link[n, j] = (self.start[n], self.start[j])
        for n, j in ((a, b), (b, a)):
            self.hears[n, j] = True
            for s in SHARDS[n]:
                self.gate[j, s] = 'OFF'
                self.held[j, s] = []
                self.records[s, j] = []
        for n, j in ((a, b), (b, a)):
            for s in SHARDS[n]:
                self.begin_stream(s, j)
            if self.leader[n]:
                self.tell_leads(n, j)
            self.send(self.control, n, j, ('show', self.record[n]))

    def begin_stream(self, s, j):
        """Sends the marks that the source has set, and what is unanswered, once more."""
        source = self.source[s]
        if source.leader == j and (source.enabled or self.gates_hold):
            self.records[s, j].append((0, 'enter', source.epoch, None))
            if source.enabled and self.gates_hold:
                self.records[s, j].append((0, 'enable', source.epoch, None))
        for position, sent in sorted(source.unanswered[j].items()):
            if any(f == j and first <= position <= last for f, first, last in source.former):
                sent.refused = True  # it is redirected, and not sent again
            if not sent.refused and not (source.leader == j and position in source.parked):
                self.records[s, j].append((position, 'record', sent.message, sent.scope))

    def link_ended(self, n, j):
        """Forgets a start that has ended, when all that came from it was handled."""
        if self.hears[n, j]:
            self.goes_silent(n, j)
        self.link[n, j] = None
        for s in SHARDS[j]:
            self.gate[n, s] = 'OFF'
            self.held[n, s] = []
        for s in SHARDS[n]:  # its transient sessions are gone
            for position, sent in list(self.source[s].unanswered[j].items()):
                if not self.was_for_slot(s, j, position):
                    del self.source[s].unanswered[j][position]
                    self.close(sent.message)

    def goes_silent(self, n, j):
        self.hears[n, j] = False
        leader = self.leader[n]
        if leader:
            leader.unshown.discard(j)
            if leader.follower == j:
                self.lose_follower(n)
            elif leader:
                self.release(n)
        if self.question[n]:
            self.question[n][1].discard(j)
            self.count_answers(n)
        self.drop_filters(n)
        for s in SHARDS[n]:
            self.switch_over(s)

    def lose_follower(self, n):
        leader = self.leader[n]
        if leader.fenced:
            self.step_down(n)  # and asks, as the one who led last
        else:
            self.choose_follower(n)

    def may_kill(self, j):
        """Says whether the newest sets keep a member without this node."""
        records = sorted({self.record[n] for n in NODES if n not in self.killed},
                         key=lambda r: r[:2])[-2:]
        gone = self.killed | {j}
        return all(r[2] - gone for r in records) and j not in self.killed

    # ---- schedule

    def actions(self, chaos):
        acts = []
        add = lambda weight, what, *args: acts.append((weight, what, args))
        for n in NODES:
            if not self.runs(n):
                continue
            for s in SHARDS[n]:
                if chaos and len(self.messages) < 60 and self.source[s].leader is not None:
                    add(3, self.publish, s)
                if self.box[s]:
                    add(2, self.pop_leads, s)
                for j in NODES:
                    if self.answers[j, s] and (j, n) not in self.cut:
                        add(3, self.on_answer, j, s)
            for s in SOURCES:
                if self.records[s, n] and (NODE[s], n) not in self.cut:
                    add(3, self.on_record, s, n)
            for j in NODES:
                if j == n:
                    continue
                if (j, n) not in self.cut:
                    if self.shared[j, n]:
                        add(2, self.on_shared, j, n)
                    if self.control[j, n]:
                        add(2, self.on_control, j, n)
                    if self.parts[j, n]:
                        add(3, self.on_part, j, n)
                    if self.confirmations[j, n]:
                        add(3, self.on_confirmation, j, n)
                self.link_actions(add, n, j)
            if self.leader_is_gone(n):
                add(1, self.ask, n)
            if self.leader[n]:
                self.leader_actions(add, n, chaos)
        if chaos:
            self.fault_actions(add)
        for n in NODES:
            if n in self.asleep:
                add(.2 if chaos else 1, self.wake, n)
            if not self.up[n] and n not in self.killed:
                add(.4 if chaos else 1, self.restart, n)
        for c in sorted(self.cut):
            add(.1 if chaos else 1, self.cut.discard, c)
        return acts

    def link_actions(self, add, n, j):
        same = self.link[n, j] == (self.start[n], self.start[j])
        silent = (j, n) in self.cut or j in self.asleep
        ended = self.link[n, j] and not (self.up[j] and same) and not self.left_over(j, n)
        if ended:
            add(2, self.link_ended, n, j)
        elif self.hears[n, j]:
            if silent:
                add(1, self.goes_silent, n, j)
        elif self.linked(n, j) and self.runs(j) and (j, n) not in self.cut:
            add(1, self.hears.__setitem__, (n, j), True)
        if n < j and self.runs(j) and not same and not self.cut & {(n, j), (j, n)} \
                and not self.left_over(j, n) and not self.left_over(n, j):
            add(2, self.open_link, n, j)

    def leader_actions(self, add, n, chaos):
        leader = self.leader[n]
        if self.client == n:
            add(2, self.deliver, n)
            add(2, self.acknowledge, n)
        else:
            served = self.leader[self.client]
            if not served or not self.runs(self.client) or self.was_cut and chaos:
                add(1, self.__setattr__, 'client', n)
        if self.may_give(n):
            add(2, self.give, n)
        elif leader.fenced and leader.follower is None:
            add(1, self.lose_follower, n)
        elif chaos and self.transfers_left and not leader.fenced and leader.follower is not None:
            add(.15, self.transfer, n)
        f = leader.follower
        if f is None:
            if any(self.runs(x) and self.hears[n, x] for x in LEADERS if x != n):
                add(1, self.choose_follower, n)
        elif self.cut & {(n, f), (f, n)}:
            add(.5, self.lose_follower, n)
        elif not self.linked(n, f):
            pass  # goes_silent comes

    def fault_actions(self, add):
        if len(self.messages) < 70 and self.runs(3):
            if self.mover_may_publish():
                add(4, self.publish, self.mover_at, True)
            add(1.5, self.move)
        running = [n for n in LEADERS if self.runs(n)]
        for n in running:
            weight = .12 if self.leader[n] else .03
            if self.kills_left and len(running) > 1 and self.may_kill(n):
                add(weight, self.kill, n)
            if self.sleeps_left and len(running) > 1:
                add(weight, self.sleep, n)
            if self.restarts_left and len(running) > 1:
                add(weight * 1.5, self.crash, n)
        if self.cuts_left:
            add(.2, self.cut_links)

    def pop_leads(self, s):
        self.on_leads(s, *self.box[s].pop(0))

    def move(self):
        self.mover_at = 7 - self.mover_at

    def transfer(self, n):
        self.transfers_left -= 1
        self.fence(n)

    def kill(self, n):
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

    def settled(self):
        leading = [n for n in LEADERS if self.leader[n] and self.up[n]]
        if len(leading) != 1 or self.asleep or self.cut:
            return False
        n = leading[0]
        leader = self.leader[n]
        live = [x for x in NODES if self.up[x]]
        return len(live) + len(self.killed) == len(NODES) and self.client == n \
            and not leader.fenced and not leader.waiting and not leader.unshown \
            and all(self.hears[a, b] == self.up[b] for a in live for b in NODES) \
            and not any(self.left_over(a, b) for a in live for b in live) \
            and not any(self.box.values()) \
            and all(e[0] in leader.delivered for e in self.copy[n].queue)

    def check(self):
        """Returns [(what failed, exempt by a cut)]."""
        failures = []
        if not self.settled():
            failures.append(('not settled', False))
        received = set(self.received)
        for message in self.acknowledged - received:
            failures.append(('lost', message in self.split))
        split = {m[:2] for m in self.split}
        last, seen, twice = {}, set(), set()
        for message in self.received:
            if message in seen:
                if message[1] == 2:
                    twice.add(message)
                continue
            seen.add(message)
            if last.get(message[:2], 0) > message[2]:
                failures.append(('order', message[:2] in split))
            last[message[:2]] = message[2]
        for message in twice:
            failures.append(('twice', message in self.split))
        for messages in self.transient.values():
            last = {}
            for message in messages:
                if last.get(message[:2], 0) >= message[2]:
                    failures.append(('transient', False))
                last[message[:2]] = message[2]
        for message in self.messages:
            publisher = message[0]
            lives = publisher == MOVER or self.up[NODE[publisher[0]]] \
                and publisher[1] == self.start[NODE[publisher[0]]]
            if lives and message not in self.acknowledged:
                failures.append(('not answered', False))
        return failures


def run(seed, off, switch_over='gates', trace=False):
    world = World(seed, off, switch_over, trace)
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
    parser.add_argument('--switch-over', choices=('gates', 'pause', 'redirect'), default='gates')
    parser.add_argument('--trace', action='store_true')
    options = parser.parse_args()
    off = frozenset(r for r in options.off.upper().split(',') if r)
    if off - RULES.keys():
        parser.error('no such rule: ' + ', '.join(sorted(off - RULES.keys())))
    first, count = (options.seed, 1) if options.seed is not None else (options.first, options.seeds)
    failed, exempt, kinds, total = [], 0, {}, dict(messages=0, leaders=0, again=0, cut=0, most=0)
    for seed in range(first, first + count):
        world = run(seed, off, options.switch_over, options.trace)
        failures = world.check()
        hard = sorted({what for what, excused in failures if not excused})
        exempt += any(excused for _, excused in failures)
        total['messages'] += len(world.messages)
        total['leaders'] += world.top[0] - 1
        total['again'] += len(world.received) - len(set(world.received))
        total['cut'] += world.was_cut
        total['most'] = max(total['most'], world.held_most, world.parked_most)
        if hard:
            failed.append(seed)
            for what in hard:
                kinds.setdefault(what, []).append(seed)
    print('off:', ', '.join(sorted(off)) or 'nothing', '| seeds', count, '| failed', len(failed),
          f'({100 * len(failed) / count:.1f} %)', '| exempt', exempt, '|',
          ', '.join(f'{k} {len(v)} {v[:5]}' for k, v in sorted(kinds.items())), '|', total)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
