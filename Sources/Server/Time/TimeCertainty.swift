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
    /// - Parameter age: the time since gateways, or a step of the wall clock, have moved it; `nil` for a time that stood from the start.
    func certainty(age: Duration?) -> TimeCertainty {
        let age = age ?? Self.margin
        return switch self {
        case .nothing: age < Self.margin ? .doubtful : .unconfirmed
        case .fewGateways: age < Self.doubt ? .doubtful : .probable
        case .mostGateways, .kernel: age < Self.margin ? .probable : .certain
        }
    }

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    private static let doubt = Duration.seconds(3600)
    /// After a step, operators have so long to correct the time.
    static let margin = Duration.seconds(2 * 86_400)
}
