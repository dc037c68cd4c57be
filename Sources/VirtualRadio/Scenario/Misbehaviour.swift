import HCI
import JSON

/// Something that a virtual radio does wrong, on purpose, at a set time.
package struct Misbehaviour: Equatable, Sendable {
    /// What it does.
    package enum Kind: Equatable, Sendable {
        /// No answers and no reports for this time. Commands in that time are answered afterwards.
        case stall(Duration)
        /// The next `times` uses of the command are answered with `status`; without a number, all.
        case refuse(Opcode, HCIStatus, times: Int?)
        /// A Hardware Error event; scanning and advertising end.
        case hardwareError(code: UInt8)
        /// Commands are answered, but nothing is reported: for so long, or until the controller is reset.
        case silent(Duration?)
        /// The connection is dropped, and none is taken for so long.
        case close(Duration)
    }

    /// The event that a misbehaviour follows.
    package enum Origin: Equatable, Sendable {
        /// The virtual radio's start.
        case start
        /// The first scan of the host.
        case firstScan
    }

    /// The time after its origin.
    package let at: Duration
    package let origin: Origin
    package let kind: Kind

    package init(at: Duration, after origin: Origin = .start, _ kind: Kind) {
        self.at = at
        self.origin = origin
        self.kind = kind
    }
}

extension Misbehaviour {
    /// The words for the kinds.
    private enum Word: String, CaseIterable {
        case stall
        case refuse
        case hardwareError
        case silent
        case close
    }

    private static let afterScan = "scan+"
    /// A week, in seconds.
    private static let longest = 604_800.0

    /// Reads `{"at": 10, "kind": "stall", "seconds": 5}`; the times in seconds.
    init?(from reader: inout ObjectReader) {
        let at = Self.duration(reader.number("at", in: 0...Self.longest))
        guard let word = reader.choice("kind", of: Word.self) else {
            // The members of an unknown kind are accepted: the kind is already a fault.
            for key in ["seconds", "opcode", "status", "times", "code"] { _ = reader.has(key) }
            return nil
        }
        let kind: Kind
        switch word {
        case .stall:
            kind = .stall(Self.duration(reader.number("seconds", in: 0...Self.longest)))
        case .silent:
            kind = .silent(
                reader.optionalNumber("seconds", in: 0...Self.longest).map(Self.duration))
        case .close:
            kind = .close(
                Self.duration(reader.number("seconds", in: 0...Self.longest, default: 0)))
        case .hardwareError:
            kind = .hardwareError(code: reader.integer("code", in: 0...255, default: 0))
        case .refuse:
            let opcode = reader.parsed("opcode", expecting: "a command's number, such as “0x200c”")
            {
                Self.number($0, UInt16.self)
            }
            let status = reader.parsed("status", expecting: "an error code, such as “0x0c”") {
                Self.number($0, UInt8.self)
            }
            kind = .refuse(
                Opcode(rawValue: opcode ?? 0), HCIStatus(rawValue: status ?? 0),
                times: reader.optionalInteger("times", in: 1...1_000_000))
        }
        self.init(at: at, kind)
    }

    /// Reads `AT:KIND[:ARGUMENT…]`, as on the command line: `10:stall:5`, `10:refuse:0x200c:0x0c:3`,
    /// `10:hardwareError:0x42`, `10:silent`, `10:silent:30`, `10:close`. `scan+5:silent` counts from the first scan.
    package init?(_ text: String) {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        guard let first = parts.first else { return nil }
        let isAfterScan = first.hasPrefix(Self.afterScan)
        let time = isAfterScan ? String(first.dropFirst(Self.afterScan.count)) : first
        guard (2...5).contains(parts.count), let at = Self.seconds(time),
            let word = Word(rawValue: parts[1])
        else { return nil }
        let arguments = Array(parts.dropFirst(2))
        guard let kind = Self.kind(word, arguments) else { return nil }
        self.init(at: at, after: isAfterScan ? .firstScan : .start, kind)
    }

    private static func kind(_ word: Word, _ arguments: [String]) -> Kind? {
        switch (word, arguments.count) {
        case (.stall, 1): return seconds(arguments[0]).map { .stall($0) }
        case (.silent, 0): return .silent(nil)
        case (.silent, 1): return seconds(arguments[0]).map { .silent($0) }
        case (.close, 0): return .close(.zero)
        case (.close, 1): return seconds(arguments[0]).map { .close($0) }
        case (.hardwareError, 0): return .hardwareError(code: 0)
        case (.hardwareError, 1):
            return number(arguments[0], UInt8.self).map { .hardwareError(code: $0) }
        case (.refuse, 2), (.refuse, 3):
            guard let opcode = number(arguments[0], UInt16.self),
                let status = number(arguments[1], UInt8.self)
            else { return nil }
            var times: Int?
            if arguments.count == 3 {
                guard let number = Int(arguments[2]), number > 0 else { return nil }
                times = number
            }
            return .refuse(Opcode(rawValue: opcode), HCIStatus(rawValue: status), times: times)
        default: return nil
        }
    }

    private static func seconds(_ text: String) -> Duration? {
        guard let seconds = Double(text), (0...longest).contains(seconds) else { return nil }
        return duration(seconds)
    }

    private static func duration(_ seconds: Double) -> Duration {
        .microseconds(Int64((seconds * 1_000_000).rounded()))
    }

    /// A number with `0x`, or without.
    private static func number<Number: FixedWidthInteger>(
        _ text: String, _: Number.Type
    ) -> Number? {
        text.hasPrefix("0x") ? Number(text.dropFirst(2), radix: 16) : Number(text)
    }
}
