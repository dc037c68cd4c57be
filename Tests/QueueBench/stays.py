"""The models that judge stays, and the line at present, for `fit`: the decoder's stays and their features."""
import copy

import numpy as np
from scipy.optimize import minimize

from levels import BINS, FLOOR, REACH, absence, features

# The decoder proposes more stays than are probable by their edges, and the visit model judges them.
PROPOSAL = 4.0
SHORTEST = 14
# The seconds by which the dates of two stays must differ, for one to overtake the other.
TOLERANCE = 2
# The strength of the prior of the visit model.
RIDGE = 20.0
# The presence model knows the levels of each tenth second, and the line is 12 s ahead at the means of the shortest span.
EVERY = 10
SPANS, SINKS, MOST_MARGIN = (3.0, 12.0, 40.0), (0.1, 0.1, 0.5, 0.5), 10.0


class Decoder:
    """The best sequence of stays (joined, left, gain) up to each second."""

    def __init__(self):
        self.stays, self.before, self.margin, self.entered = [], [], None, 0

    def step(self, second, join, leave, stay):
        if self.margin is None:
            self.margin, self.entered = join, second
            return
        staying, old = self.margin + stay, self.stays
        leaving = self.margin + leave if second - self.entered >= SHORTEST else -np.inf
        if leaving > 0:
            gain = leaving + sum(gain for _, _, gain in old[len(self.before):])
            self.stays = self.before + [(self.entered, second, gain)]
        if join > staying:
            self.entered, self.before = second, old if leaving > 0 else self.stays
        self.margin = max(staying, join) - max(0, leaving)


def scores(edge, stay, weights):
    """Of joining, with the inclination to propose; of leaving; of being in line."""
    inside = weights[52] * np.tanh(stay @ weights[42:52]) + weights[53] + absence(stay)
    return edge @ weights[:21] + PROPOSAL, edge @ weights[21:42], inside


class Stay:
    """A proposed stay with its features for the visit model."""

    def __init__(self, presence, joined, left, gain, inside):
        length = np.log(left - joined)
        levels = near(presence.entry, presence.till, inside)
        self.beacon, self.queue = presence.beacon, presence.queue
        self.joined, self.left = presence.first + joined, presence.first + left
        self.features = np.concatenate([
            [gain, length, length * length], levels[joined + 1:left + 1].mean(0),
            presence.edge[joined, 1:], presence.edge[left, 1:]])
        self.giving_up = np.concatenate([spans(presence.edge[joined]), spans(presence.edge[left])])
        self.was_given_up = any(min(left, visit[1]) > max(joined, visit[0]) for visit in presence.given_up)
        self.is_visit = False


def near(entry, till, inside):
    """What the visit model takes the mean of: levels at entry, till and the louder one, and the score of being in line."""
    return np.stack([entry, till, np.maximum(entry, till), inside], 1)


def spans(edge):
    """The mean levels before, at and after an edge, at entry and till: of its nine bins."""
    width = np.array([high - low + 1 for low, high in BINS])
    return np.concatenate([
        [np.average(part[:4], weights=width[:4]), part[4], np.average(part[5:], weights=width[5:])]
        for part in (edge[1:10], edge[10:19])])


def proposals(presence, weights):
    """The stays that the decoder proposes; those with a visit of their own are visits."""
    join, leave, inside = scores(presence.edge, presence.stay, weights)
    decoder = Decoder()
    for second in range(len(join)):
        decoder.step(second, join[second], leave[second], inside[second])
    free, stays = list(presence.served), []
    for joined, left, gain in sorted(decoder.stays, key=lambda stay: stay[0] - stay[1]):
        stays.append(Stay(presence, joined, left, gain, inside))
        hit = next((visit for visit in free if min(left, visit[1]) > max(joined, visit[0])), None)
        if hit:
            free.remove(hit)
            stays[-1].is_visit = True
    return stays


def overtaking(stays, log_odds):
    """For each stay of a folder, how many visits of its queue it is expected to overtake, and by how many to be overtaken."""
    joined, left, beacons, queues = (np.array([getattr(stay, name) for stay in stays]) for name in ("joined", "left", "beacon", "queue"))
    probability = 1 / (1 + np.exp(-log_odds))
    earlier = joined[None, :] <= joined[:, None] - TOLERANCE
    others = (beacons[None, :] != beacons[:, None]) & (queues[None, :] == queues[:, None])
    overtakes = earlier & (left[None, :] >= left[:, None] + TOLERANCE) & others
    return overtakes @ probability, overtakes.T @ probability


def judge(folders, shares):
    """The visit model of the stays of each folder: (constant, weights), the last one of a neighbour out of order.

    Also the log-odds of all stays, and how many visits each is expected to overtake. Each stay counts as the share of its
    folder. The weight of the order is that of the pseudo-likelihood: the neighbours' probabilities are given.
    """
    counts = np.concatenate([np.full(len(stays), share) for stays, share in zip(folders, shares)])
    plain = [np.array([stay.features for stay in stays]) for stays in folders]
    labels = np.array([stay.is_visit for stays in folders for stay in stays], float)
    constant, weights = regression(np.concatenate(plain), labels, RIDGE, counts)
    log_odds = [constant + part @ weights for part in plain]
    for _ in range(6):
        numbers = [overtaking(stays, odds) for stays, odds in zip(folders, log_odds)]
        features = [np.column_stack([part, over + under]) for part, (over, under) in zip(plain, numbers)]
        constant, weights = regression(np.concatenate(features), labels, RIDGE, counts)
        log_odds = [constant + part @ weights for part in features]
    return constant, weights, log_odds, [over for over, _ in numbers]


def regression(features, labels, ridge, counts=1.0):
    """The constant and the weights of a logistic regression with a normal prior; each sample has a weight."""
    centre, spread = features.mean(0), features.std(0) + 1e-9
    scaled = np.column_stack([np.ones(len(features)), (features - centre) / spread])

    def objective(weights):
        odds = scaled @ weights
        slopes = scaled.T @ (counts * (1 / (1 + np.exp(-odds)) - labels)) + 2 * ridge * np.r_[0, weights[1:]]
        return (counts * (np.logaddexp(0, odds) - labels * odds)).sum() + ridge * (weights[1:] ** 2).sum(), slopes

    weights = minimize(objective, np.zeros(scaled.shape[1]), jac=True, method="L-BFGS-B").x
    return weights[0] - (weights[1:] * centre / spread).sum(), weights[1:] / spread


def recent(entry, till):
    """For each second: exponential means of entry, till and the louder one, and sinking peaks of the first ones."""
    both = np.maximum(entry, till)
    means, peaks = np.full(9, FLOOR), np.full(4, FLOOR)
    shares = np.repeat([1 - np.exp(-1 / span) for span in SPANS], 3)
    result = np.empty((len(entry), 13))
    for second in range(len(entry)):
        means += shares * (np.tile([entry[second], till[second], both[second]], 3) - means)
        peaks = np.maximum(np.tile(means[:2], 2), peaks - SINKS)
        result[second] = np.concatenate([means, peaks])
    return result


def present(presence, weights, visit_weights, constant):
    """Yields the features of the presence model in each tenth second, and whether the tag is in line."""
    levels = recent(presence.entry, presence.till)
    known = scores(presence.edge, presence.stay, weights)
    staying = near(presence.entry, presence.till, known[2]) @ visit_weights[3:7]
    total = np.concatenate([[0], np.cumsum(staying)])
    decoder, done = Decoder(), 0
    for second in range(int(-presence.first % EVERY), len(presence.entry) - 40, EVERY):
        while done <= second - REACH:
            decoder.step(done, known[0][done], known[1][done], known[2][done])
            done += 1
        behind = decoder.margin if done else -np.inf
        # The last seconds are scored with the present levels behind them. Their own levels are known.
        start = max(0, second - 2 * REACH)
        entry, till = (np.concatenate([level[start:second + 1], np.full(REACH, mean)])
                       for level, mean in zip((presence.entry, presence.till), levels[second]))
        edge, stay = features(entry, till)
        own = presence.edge[start:second + 1, 19:]
        edge[:len(own), 19:], stay[:len(own), 7:] = own, presence.stay[start:second + 1, 7:]
        join, leave, inside = scores(edge, stay, weights)
        ahead = copy.copy(decoder)
        for step in range(done, second + 1):
            ahead.step(step, join[step - start], leave[step - start], inside[step - start])
        last = near(entry, till, inside) @ visit_weights[3:7]
        first = ahead.entered + 1
        sums = total[max(first, done)] - total[first] + last[max(first, done) - start:second + 1 - start].sum()
        joined = edge[ahead.entered - start] if ahead.entered >= done else presence.edge[ahead.entered]
        yield np.concatenate([
            presence.edge[second, 19:], levels[second],
            [np.clip(ahead.margin, -MOST_MARGIN, MOST_MARGIN), np.clip(behind, -MOST_MARGIN, MOST_MARGIN),
             np.log1p(second + 1 - ahead.entered), np.log1p(second + 1), joined[1:] @ visit_weights[7:27] + constant,
             sums / max(1, second - ahead.entered)]
        ]), any(joined <= second + 1 < left for joined, left in presence.served + presence.given_up)
