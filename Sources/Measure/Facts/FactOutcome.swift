/// What became of a fact that was handed over.
package enum FactOutcome: String, CaseIterable, Sendable {
    case new
    /// The same message arrived before.
    case repeated
    /// Its time is final already.
    case late
    /// Its times are wrong: the gateway's clock was not set.
    case unsynced
    /// Its gateway is none of those that are measured.
    case foreign
    /// It is of one session too many: a gateway has some a day.
    case excess
}
