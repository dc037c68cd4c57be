import Glibc

/// The scores of one second `t` in log-odds: for joining the line, for leaving it, and for being in it. `visit` has the
/// parts of the second in the judgement of a whole stay.
///
/// With the levels `e` at the entry, `c` at the till and `h` at the loudest gateway, the own levels `o`, and the weights
/// of `LineModel`:
///
///     J(t) = a₀ + Σ over s = −12…12 of (aₛ e(t+s) + a'ₛ c(t+s)) + a_e o_entry + a_c o_till
///     K(t) = the same with other weights
///     I(t) = b₁ + B · tanh(b₀ + b · (means over ±2 s and ±7 s of h, e, c) + b' · (o_entry, o_till, the larger of both))
///            − α · max(0, −30 dB − mean over ±7 s of h)
struct LineScores: Equatable {
    /// `J`, `K` and `I`.
    let join: Double
    let leave: Double
    let stay: Double
    var visit = VisitScores()

    init(join: Double, leave: Double, stay: Double) {
        self.join = join
        self.leave = leave
        self.stay = stay
    }

    /// The scores of the first second after an unknown stretch: an edge may have been in it, unseen.
    var afterUnseen: LineScores {
        var scores = LineScores(
            join: max(join, Self.unseen), leave: max(leave, Self.unseen), stay: stay)
        scores.visit = visit
        return scores
    }

    /// The log-odds of an edge that no gateway could see. The seconds that follow decide. Chosen.
    private static let unseen = -3.0

    /// The scores of the second in the middle of the history.
    init(_ history: LevelHistory, _ models: ShoppingMode.Models) {
        let (model, visits) = (models.line, models.visit)
        let middle = history[0]
        var join = model.join.start(middle)
        var leave = model.leave.start(middle)
        var joining = visits.joining.start(middle)
        var leaving = visits.leaving.start(middle)
        var before = LevelSums()
        var at = LevelSums()
        var after = LevelSums()
        var near = LevelSums()
        var wide = LevelSums()
        for offset in -LevelHistory.reach...LevelHistory.reach {
            let sample = history[offset]
            let index = offset + LevelHistory.reach
            join += model.join.score(sample, index)
            leave += model.leave.score(sample, index)
            joining += visits.joining.score(sample, index)
            leaving += visits.leaving.score(sample, index)
            if abs(offset) <= GivingUpModel.reach { at.add(sample) }
            if offset < -GivingUpModel.reach { before.add(sample) }
            if offset > GivingUpModel.reach { after.add(sample) }
            if abs(offset) <= LineModel.Stay.nearReach { near.add(sample) }
            if abs(offset) <= LineModel.Stay.wideReach { wide.add(sample) }
        }
        self.join = join
        self.leave = leave
        stay = model.stay.score(near, wide, middle)
        visit = VisitScores(
            joining: joining, leaving: leaving, staying: visits.staying(middle, stay: stay),
            joiningToGiveUp: GivingUpModel.fitted.joining.score(before, at, after),
            givingUp: GivingUpModel.fitted.leaving.score(before, at, after))
    }
}

/// The sums of several seconds' levels.
private struct LevelSums {
    var loudest = 0.0
    var entry = 0.0
    var till = 0.0
    var seconds = 0.0

    mutating func add(_ sample: LevelHistory.Sample) {
        loudest += sample.loudest
        entry += sample.entry
        till += sample.till
        seconds += 1
    }

    /// The weighted sum of the three means.
    func weighted(_ weights: Weights) -> Double {
        (weights.loudest * loudest + weights.entry * entry + weights.till * till) / seconds
    }

    /// The weighted sum of the means at both ends of the line.
    func weighted(_ weights: LineEnds) -> Double {
        (weights.entry * entry + weights.till * till) / seconds
    }
}

extension GivingUpModel.Edge {
    fileprivate func score(_ before: LevelSums, _ at: LevelSums, _ after: LevelSums) -> Double {
        before.weighted(self.before) + at.weighted(self.at) + after.weighted(self.after)
    }
}

extension LineModel.Edge {
    /// The part of the score that does not depend on the seconds around the edge.
    fileprivate func start(_ middle: LevelHistory.Sample) -> Double {
        constant + ownEntry * middle.ownEntry + ownTill * middle.ownTill
    }

    /// The part of one of the seconds around the edge.
    fileprivate func score(_ sample: LevelHistory.Sample, _ index: Int) -> Double {
        entry[index] * sample.entry + till[index] * sample.till
    }
}

extension LineModel.Stay {
    fileprivate func score(
        _ near: LevelSums, _ wide: LevelSums, _ middle: LevelHistory.Sample
    ) -> Double {
        let own =
            self.own.entry * middle.ownEntry + self.own.till * middle.ownTill
            + self.own.loudest * max(middle.ownEntry, middle.ownTill)
        let presence =
            offset + bound
            * tanh(constant + near.weighted(self.near) + wide.weighted(self.wide) + own)
        return presence - Self.absence * max(0, RoleLevels.away - wide.loudest / wide.seconds)
    }
}
