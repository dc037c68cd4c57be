import Primitives

/// A measurement that folds the seconds of a site's gateways into results.
///
/// It is a value. A copy goes on from the same second, so that a copy can run ahead of the final results: `SiteFolds` has the final
/// fold and its copies. A new measurement
///
/// 1. has a value that conforms: it owns its `seconds`, and finds results in `on`, from what each gateway knows of one second;
/// 2. says with `decided` which results of a copy the final fold has, or will never have;
/// 3. has an estimator that owns `SiteFolds` of it, and names its results.
package protocol SecondFold: Sendable {
    /// A result.
    associatedtype Output: Sendable
    /// What the fold reads besides windows. The owner has it once for all copies.
    associatedtype Context = Void

    var seconds: SiteSeconds { get set }

    /// Folds one second.
    ///
    /// - Parameter states: by gateway.
    mutating func on(_ states: [GatewaySecond], at second: UnixSecond, _ context: Context)
        -> [Output]

    /// Passes a time without any window, after `SiteSeconds.longestSilence`.
    mutating func skip(_ span: Range<UnixSecond>, _ states: [GatewaySecond]) -> [Output]

    /// Ends with this second: no message will follow.
    mutating func end(at second: UnixSecond) -> [Output]

    /// Tells of results whether this fold, as the final one, has decided about them.
    func decided() -> (Output) -> Bool
}

extension SecondFold {
    package mutating func end(at second: UnixSecond) -> [Output] { [] }

    package mutating func take(_ window: WindowFact, from gateway: Int) -> FactOutcome {
        seconds.take(window, from: gateway)
    }

    /// A copy that goes on by itself.
    ///
    /// - Parameter isPresent: whether it is for the present.
    func copy(isPresent: Bool) -> Self {
        var copy = self
        copy.seconds.runAhead(isPresent: isPresent)
        return copy
    }

    /// Folds the seconds that all gateways have passed, and by force those before `bound`.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func advance(
        settling bound: UnixTime, _ context: Context, atMost limit: Duration? = nil
    ) -> [Output] {
        let (end, isBlocked) = seconds.settle(upTo: bound)
        return fold(
            upTo: UnixSecond(containing: end), context, atMost: limit, isBlocked: isBlocked)
    }

    /// Folds everything: no message will follow.
    ///
    /// - Parameter limit: the time that one call folds; the rest follows in the next calls.
    package mutating func finish(_ context: Context, atMost limit: Duration? = nil) -> [Output] {
        guard let newest = seconds.newest else { return [] }
        let (end, isBlocked) = seconds.settle(upTo: .max)
        let last =
            isBlocked ? UnixSecond(containing: min(end, newest)) : UnixSecond(notBefore: newest)
        let results = fold(upTo: last, context, atMost: limit, isBlocked: isBlocked)
        guard !seconds.isBehind, let last = seconds.next?.advanced(by: -1) else { return results }
        return results + self.end(at: last)
    }

    private mutating func fold(
        upTo bound: UnixSecond, _ context: Context, atMost limit: Duration?, isBlocked: Bool
    ) -> [Output] {
        let end = seconds.begin(upTo: bound, atMost: limit)
        var results: [Output] = []
        while let end, let step = seconds.step(before: end) {
            switch step {
            case .second(let second, let states): results += on(states, at: second, context)
            case .silence(let span, let states): results += skip(span, states)
            }
        }
        if let end { seconds.stop(at: end, of: bound, isBlocked: isBlocked) }
        return results
    }
}
