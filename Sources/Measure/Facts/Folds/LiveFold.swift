import Primitives

/// The live results: two copies of the final fold that run ahead to the present.
///
/// Holes stop the final fold for as long as a message may come late. The copies pass holes by force: such a second is
/// unknown to them. When a message comes for a second that a copy has passed, the copy is made again from the slower one:
///
///     final ─▶ recent (30 s ago) ─▶ present
///
/// A message of the last half minute costs half a minute of seconds at most. An older one costs more, and is paced. While nothing
/// stops the final fold, it is at the present itself, and there are no copies.
struct LiveFold<Fold: SecondFold> {
    private var recent = Self.newRecent
    private var present = Self.newPresent
    private var offline = OfflineTimes()

    private static var newRecent: AheadFold<Fold> { AheadFold(pace: .seconds(30)) }
    private static var newPresent: AheadFold<Fold> { AheadFold(pace: .seconds(1), isPresent: true) }
    /// The time from the end of a window with a beacon to its arrival is shorter.
    private static var delivery: Duration { .seconds(2) }
    /// The copy `recent` runs so long behind the present.
    private static var lag: Duration { .seconds(30) }

    /// The fold at the present, and its results beyond the final fold; `nil` before the first call of `advance`, and while the final
    /// fold is at the present, or ahead of the copies.
    var current: AheadFold<Fold>.Copy? { present.current }

    /// Of all copies.
    var seconds: [SiteSeconds] { recent.seconds + present.seconds }

    /// Whether the last call of `advance` has left seconds to the next one.
    var isBehind: Bool { seconds.contains(where: \.isBehind) }

    /// The starts of released windows without which a copy can't go on.
    var wanted: [Range<UnixTime>] { seconds.compactMap(\.wanted) }

    mutating func update(_ change: (inout Fold) -> Void) {
        recent.update(change)
        present.update(change)
    }

    /// - Parameters:
    ///   - second: of the caller's clock.
    ///   - gateways: those that are offline.
    ///   - limit: the time that each copy folds at most.
    mutating func advance(
        through second: UnixSecond, offline gateways: Set<Int>, _ context: Fold.Context,
        atMost limit: Duration?, from final: Fold
    ) {
        guard second > 0 + Self.lag else { return }
        offline.on(gateways, from: second - Self.delivery)
        if let next = final.seconds.next { offline.forget(before: next) }
        let bound = second.start - Self.delivery
        if let next = final.seconds.next, next >= UnixSecond(containing: bound) {
            (recent, present) = (Self.newRecent, Self.newPresent)
            return
        }
        let source = AheadFold.Copy(fold: final)
        let isNew = recent.advance(
            settling: second.start - Self.lag, at: second, context, atMost: limit, offline,
            from: source)
        guard let slower = recent.current else {
            present = Self.newPresent
            return
        }
        if isNew { present.restart(at: second, from: slower) }
        _ = present.advance(
            settling: bound, at: second, context, atMost: limit, offline, from: slower)
        let isDecided = final.decided()
        recent.forget(isDecided)
        present.forget(isDecided)
    }
}
