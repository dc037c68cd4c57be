"""The people of simulate-store: visitors, their line, passers-by and staff, as positions at each moment."""
import itertools, math
from collections import namedtuple
import numpy as np

STEP = 0.1              # seconds between positions
STAFF = 60_000          # the first minor of staff

SWING = 0.5             # the share by which arrivals change over the day
SERVICE_VARIATION = 0.6
SHORTEST_SERVICE = 10.0  # seconds
GIVING_UP = 0.02        # share of visitors
PASSES = 10             # for each visit
VISITORS_PASS = 0.03    # share of the passages
SPACING, FIRST_GAP = 0.75, 1.1  # metres between people in line, and behind the first
EXIT = -34.0, -19.0     # outside, behind the wall

Presence = namedtuple("Presence", "tag start track")


def around(centre, distance, angle):
    return centre + distance * math.cos(angle), distance * math.sin(angle)


def place(index):
    """Where a person in line stands, in metres from the till."""
    return 0.0 if index == 0 else FIRST_GAP + SPACING * (index - 1)


class Store:
    """The people of a day: where each of them is at each moment, and the true visits."""

    def __init__(self, args):
        metres, sigma, rate, loss = args.world.split("/")
        self.args = args
        self.entry, self.sigma, self.rate, self.loss = float(metres), float(sigma), float(rate), float(loss) / 100
        self.seconds = args.hours * 3600
        self.random = np.random.default_rng([args.seed, 77])
        self.tags = itertools.count(1)
        self.presences, self.visits = [], []

    def run(self):
        self.visitors()
        self.passers()
        for index, points in enumerate([self.cashier, self.floor_staff]):
            track = self.walk(points())[:int(self.seconds / STEP)]
            self.presences.append(Presence(STAFF + index, 0, track))

    def visitors(self):
        line = Line(self, [Visitor(self, start) for start in self.arrivals()])
        for step in range(round(self.seconds / STEP) + 1):
            line.step(step * STEP)
        for visitor in line.gone:
            visitor.tag = next(self.tags)
            self.presences.append(Presence(visitor.tag, visitor.start, np.array(visitor.track)))
            self.visits.append(visitor)

    def arrivals(self):
        """Times of a Poisson process whose rate changes over the day."""
        random, times, time = self.random, [], 30.0
        while True:
            time += random.exponential(3600 / (self.args.visits * (1 + SWING)))
            if time > self.seconds - 400:
                return times
            rate = 1 + SWING * math.sin(2 * math.pi * (time / self.seconds * 1.5 - 0.25))
            if random.random() < rate / (1 + SWING):
                times.append(time)

    def approach(self):
        """The way to the end of the line. Half of the visitors stop once."""
        random = self.random
        random.random()     # no use; keeps the sequence of the folders that the models were fitted to
        angle = random.uniform(-1.3, 1.3)
        points = [around(self.entry, self.args.far, angle)]
        if random.random() < 0.5:
            distance = random.uniform(5, 12)
            angle += random.uniform(-0.3, 0.3)
            points.append((*around(self.entry, distance, angle), random.uniform(5, 40)))
        if self.args.own_passes:
            points[1:] = self.lingering(random.poisson(self.args.own_passes)) + points[1:]
        return points

    def lingering(self, passes):
        """Passages of the line, along it or across, with a stop before and after each of them."""
        random, points = self.random, []
        least, largest = self.args.aisle
        for index in range(passes + 1):
            distance, angle = random.uniform(*self.args.distance), random.uniform(-math.pi, math.pi)
            x, y = around(0, distance, angle)
            points.append((x + (self.entry if x > 0 else 0), y, random.uniform(*self.args.dwell)))
            if index == passes:
                return points
            side, y = random.choice([-1, 1]), -random.uniform(least, largest)
            x = self.entry + random.uniform(1.5, 6) if random.random() < 0.5 else random.uniform(-5, -1.5)
            along = [(self.entry + 3, y), (-3, y)]
            across = [(x, 5), (x + random.uniform(-1, 1), -5)]
            points += (along if random.random() < 0.5 else across)[::side]

    def service(self):
        variance = math.log(1 + SERVICE_VARIATION * SERVICE_VARIATION)
        return max(SHORTEST_SERVICE, self.random.lognormal(math.log(self.args.service) - variance / 2, math.sqrt(variance)))

    def way_out(self, visitor):
        random = self.random
        points = [(visitor.x, visitor.y)]
        if visitor.how == "served":
            if self.args.lingering and random.random() < self.args.lingering:
                points.append((random.uniform(-3, -1.5), random.uniform(-1.5, 0.5), random.uniform(2, 8)))
            return points + [(random.uniform(-5, -4), random.uniform(-3, 1)), EXIT]
        points.append((visitor.x + random.uniform(-1, 1), -random.uniform(2.5, 4)))
        points.append((random.uniform(-5, 12), -random.uniform(8, 14)))
        return points + [EXIT if random.random() < 0.5 else (self.entry + 14, -12)]

    def walk(self, points, speed=None):
        """Positions every STEP along points: (x, y), or (x, y, seconds of standing there)."""
        random, fidget = self.random, self.args.fidget
        speed = speed or min(1.6, max(0.6, random.normal(1.1, 0.18)))
        x, y = points[0]
        track = [np.array([(x, y)], dtype=float)]
        for to_x, to_y, *stop in points[1:]:
            steps = max(1, round(math.hypot(to_x - x, to_y - y) / speed / STEP))
            part = np.arange(1, steps + 1) / steps
            track.append(np.column_stack([x + (to_x - x) * part, y + (to_y - y) * part]))
            x, y = to_x, to_y
            left = stop[0] if stop else 0
            while left > 0:
                pause = min(left, random.exponential(fidget)) if fidget else left
                track.append(np.tile((x, y), (max(1, int(pause / STEP)), 1)))
                left -= max(pause, STEP)
                if fidget and left > 0:
                    x, y = to_x + random.uniform(-0.15, 0.15), to_y + random.uniform(-0.15, 0.15)
        return np.concatenate(track)

    def passers(self):
        """Others who walk past. Some have passed before, some are visitors at another time."""
        random = self.random
        ways = [self.across_behind_entry, self.along_the_line, self.across_behind_till, self.shelves]
        weights = np.array(self.args.ways) / sum(self.args.ways)
        strangers, passages = [], {}
        for start in sorted(random.uniform(0, self.seconds - 60) for _ in range(PASSES * len(self.visits))):
            way = ways[random.choice(len(ways), p=weights)]
            track = self.walk(way(1 if random.random() < 0.5 else -1))
            end = start + len(track) * STEP
            tag = self.known_tag(start, end, strangers)
            if tag is None or any(first - 5 < end and start < last + 5 for first, last in passages.get(tag, [])):
                tag = next(self.tags)
                strangers.append(tag)
            passages.setdefault(tag, []).append((start, end))
            self.presences.append(Presence(tag, start, track))

    def known_tag(self, start, end, strangers):
        random = self.random
        if random.random() < VISITORS_PASS:
            visit = self.visits[random.integers(len(self.visits))]
            if end < visit.start - 60 or start > visit.start + len(visit.track) * STEP + 60:
                return visit.tag
        if strangers and random.random() < self.args.returning:
            return strangers[random.integers(len(strangers))]
        return None

    def across_behind_entry(self, side):
        random, far = self.random, self.args.far
        x = self.entry + random.uniform(1.5, 6)
        points = [(x + random.uniform(-1, 1), -far * side), (x + random.uniform(-1, 1), far * side)]
        if random.random() < 0.15:
            points.insert(1, (x, random.uniform(-5, 5), random.uniform(3, 20)))
        return points

    def along_the_line(self, side):
        random, lateral = self.random, self.args.lateral
        least, largest = self.args.aisle
        # On the free side of the line, or beyond the gateways.
        y = -random.uniform(least, largest) if random.random() < 0.7 else random.uniform(least + lateral, largest + lateral)
        points = [(self.entry + self.args.far, y + random.uniform(-2, 2)), (self.entry + 3, y), (-3, y), (-32, y + random.uniform(-8, 8))]
        return points[::side]

    def across_behind_till(self, side):
        random, far = self.random, self.args.far
        x = random.uniform(-5, -1.5)
        return [(x + random.uniform(-1, 1), far * side), (x, 0), (x + random.uniform(-1, 1), -far * side)]

    def shelves(self, _):
        random, far = self.random, self.args.far
        first, count = around(self.entry, far, random.uniform(-1.4, 1.4)), random.integers(1, 4)
        stops = [(self.entry + random.uniform(1.5, 8), random.uniform(-6, 6), random.uniform(5, 40)) for _ in range(count)]
        return [first, *stops, around(self.entry, far, random.uniform(-1.4, 1.4))]

    def cashier(self):
        random, points, time = self.random, [(-0.3, 1.7)], 0
        while time < self.seconds:
            stay = random.uniform(60, 900)
            points.append((-0.3 + random.uniform(-0.5, 0.5), 1.7 + random.uniform(-0.2, 0.3), stay))
            time += stay
            if random.random() < 0.1:
                stay = random.uniform(120, 600)
                points.append((-8, 12, stay))
                time += stay + 20
        return points

    def floor_staff(self):
        random, points, time = self.random, [(self.entry + 10, 8)], 0
        while time < self.seconds:
            stay = random.uniform(20, 400)
            points.append((random.uniform(-4, self.entry + 15), random.choice([-1, 1]) * random.uniform(1.6, 12), stay))
            time += stay + 8
            if random.random() < 0.3:
                points[-1] = -0.5, 2.2, random.uniform(10, 60)
        return points


class Visitor:
    """A person who comes, stands in line, and leaves."""

    def __init__(self, store, start):
        random = store.random
        random.random()     # as in Store.approach
        self.speed = min(1.5, max(0.6, random.normal(1.05, 0.17)))
        self.start = start
        self.track = store.walk(store.approach(), self.speed).tolist()
        self.x, self.y = self.track[-1]
        self.ready = start + len(self.track) * STEP
        self.service = store.service()
        self.patience = random.uniform(20, 120) if random.random() < GIVING_UP else math.inf
        self.beside = random.uniform(-0.1, 0.1), random.uniform(-0.15, 0.15)
        self.next_fidget = 0
        self.turn = None        # the x at which the visitor turns into the line
        self.target = None      # the place in line
        self.reacts = None      # when the visitor goes there
        self.stopped = False
        self.joined = self.served = self.left = self.how = None

    def step_toward(self, x, y, speed):
        """Whether the visitor is there after it."""
        dx, dy, length = x - self.x, y - self.y, speed * STEP
        distance = math.hypot(dx, dy)
        if distance <= length:
            self.x, self.y = x, y
        else:
            self.x += dx / distance * length
            self.y += dy / distance * length
        return distance <= length


class Line:
    """A line with one server, first come first served."""

    def __init__(self, store, visitors):
        self.store, self.random, self.entry, self.fidget = store, store.random, store.entry, store.args.fidget
        self.coming = sorted(visitors, key=lambda visitor: visitor.ready, reverse=True)
        self.approaching, self.queue, self.gone = [], [], []

    def step(self, time):
        while self.coming and self.coming[-1].ready <= time:
            visitor = self.coming.pop()
            visitor.turn = self.entry + self.random.uniform(0.8, 2.0)
            self.approaching.append(visitor)
        for visitor in list(self.approaching):
            self.approach(visitor, time)
        for index, visitor in enumerate(self.queue):
            self.advance(visitor, index, time)
        self.serve(time)

    def approach(self, visitor, time):
        tail = place(len(self.queue))
        if tail > self.entry:
            visitor.step_toward(tail + 0.3, self.random.uniform(-0.02, 0.02), visitor.speed)
            joins = math.hypot(visitor.x - tail, visitor.y) < 1.0
        else:
            joins = visitor.step_toward(visitor.turn, 0.0, visitor.speed)
        visitor.track.append((visitor.x, visitor.y))
        if joins:
            self.approaching.remove(visitor)
            self.queue.append(visitor)
            visitor.target, visitor.reacts = tail, time

    def advance(self, visitor, index, time):
        random, target = self.random, place(index)
        if target != visitor.target:
            visitor.target, visitor.reacts = target, time
            if visitor.stopped:
                # People start one after the other, so that a gap runs backwards.
                visitor.reacts += random.gamma(4, 0.2) * (1 + 0.5 * index) / 1.5
                visitor.next_fidget = 0
        beside_x, beside_y = visitor.beside
        arrived = time >= visitor.reacts and visitor.step_toward(
            target + (beside_x if index else 0), beside_y, 0.8 if visitor.stopped else visitor.speed)
        visitor.stopped = visitor.stopped or arrived
        if visitor.joined is None and (visitor.x <= self.entry + 0.05 or visitor.stopped):
            visitor.joined = time
        if arrived and self.fidget and time > visitor.next_fidget:
            if visitor.next_fidget:
                visitor.beside = random.uniform(-0.12, 0.12), random.uniform(-0.18, 0.18)
            visitor.next_fidget = time + random.exponential(self.fidget) + 0.5
        if index == 0 and abs(visitor.x) < 0.3 and visitor.served is None and visitor.stopped:
            visitor.served = time
        visitor.track.append((visitor.x, visitor.y))

    def serve(self, time):
        """At most one visitor a step leaves, served or out of patience."""
        for visitor in self.queue:
            if visitor.served is not None and time >= visitor.served + visitor.service:
                visitor.how = "served"
            elif visitor.served is None and visitor.joined is not None and time > visitor.joined + visitor.patience:
                visitor.how = "abandoned"
            if visitor.how:
                self.queue.remove(visitor)
                visitor.left = time
                visitor.track += self.store.walk(self.store.way_out(visitor)).tolist()
                self.gone.append(visitor)
                return
