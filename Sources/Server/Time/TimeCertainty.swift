import Primitives

/// How sure the server's time is. Everything that a wrong time spoils asks for it.
enum TimeCertainty: Int, Comparable {
    /// Few gateways have moved the time. Results are not stored: they are computed again when the time is sure.
    case doubtful
    /// Nothing confirms the machine's clock. Days stay open.
    case unconfirmed
    /// Days are closed. A correction opens them again from their rows and keys.
    case probable
    /// Old rows and the keys of closed days are removed.
    case certain

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// What confirms the present time of the server.
enum TimeConfirmation: Int, Comparable {
    case nothing, fewGateways, mostGateways
    /// A time service sets the machine's clock.
    case kernel

    /// - Parameters:
    ///   - count: the gateways that show the time, of all configured ones.
    init(_ count: Int, of gateways: Int) {
        // One gateway is never enough.
        self =
            count == 0 ? .nothing : count > 1 && count * 2 > gateways ? .mostGateways : .fewGateways
    }

    /// The certainty of a time.
    ///
    /// - Parameters:
    ///   - age: the time since gateways, or a step of the wall clock, have moved it; `nil` for a time that stood from the start.
    ///   - isAgreed: whether few gateways and the wall clock have agreed for long.
    func certainty(age: Duration?, isAgreed: Bool) -> TimeCertainty {
        let age = age ?? Self.margin
        return switch self {
        case .nothing: age < Self.margin ? .doubtful : .unconfirmed
        case .fewGateways:
            age < Self.doubt ? .doubtful : isAgreed ? .certain : .probable
        case .mostGateways, .kernel: age < Self.margin ? .probable : .certain
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    static let doubt = Duration.seconds(3600)
    /// After a step, operators have so long to correct the time.
    static let margin = Duration.seconds(2 * 86_400)
}

/// How long few gateways and the wall clock have agreed, while no gateway contradicts.
///
/// A shop with one gateway, and without a time service, has no other word. Two clocks that were set apart from each other agree; a
/// gateway that lies shows another time than the wall clock.
///
/// Only the time between messages counts: a longer silence proves nothing. It does not end the agreement, since gateways may be off
/// at night.
struct TimeAgreement {
    private var agreed = Duration.zero
    private var last: Instant?
    private var hasStepped = false

    /// An agent sends a message every ten seconds.
    private static let longestSilence = Duration.seconds(600)

    mutating func confirm(at now: Instant) {
        let silence = last.map { now - $0 } ?? .zero
        if silence <= Self.longestSilence { agreed += silence }
        last = now
    }

    mutating func contradict() { (agreed, last) = (.zero, nil) }

    /// The time has stepped since the start: the agreement must last for longer.
    mutating func step() {
        contradict()
        hasStepped = true
    }

    var isLasting: Bool {
        agreed >= (hasStepped ? TimeConfirmation.margin : TimeConfirmation.doubt)
    }
}
