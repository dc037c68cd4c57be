import Glibc
import Posix
import Primitives

/// A key of a keyboard.
package enum Key: Hashable, Sendable {
    case up
    case down
    case left
    case right
    case pageUp
    case pageDown
    case home
    case end
    case enter
    case tab
    case escape
    case backspace
    /// Ctrl-L: draw the screen anew.
    case refresh
    /// A printable ASCII character.
    case character(Character)
}

/// Decodes the bytes of a keyboard: the control sequences of ECMA-48 (5.4) and xterm. Unknown sequences have no key.
package struct KeyReader {
    /// An incomplete sequence.
    private var pending: [UInt8] = []

    private static let escape: UInt8 = 0x1b
    private static let longestSequence = 16

    package init() {}

    /// Whether an ESC waits for the rest of its sequence. Without one within some milliseconds, it is the Escape key.
    package var isIncomplete: Bool { !pending.isEmpty }

    package mutating func on(_ bytes: some Sequence<UInt8>) -> [Key] {
        bytes.flatMap { on($0) }
    }

    /// The keys of an incomplete sequence to which nothing was added.
    package mutating func expire() -> [Key] {
        defer { pending = [] }
        return pending.isEmpty ? [] : [.escape]
    }

    private mutating func on(_ byte: UInt8) -> [Key] {
        guard pending.isEmpty else { return extend(byte) }
        switch byte {
        case Self.escape:
            pending = [byte]
            return []
        case 0x0d, 0x0a: return [.enter]
        case 0x09: return [.tab]
        case 0x08, 0x7f: return [.backspace]
        case 0x0c: return [.refresh]
        case 0x20...0x7e: return [.character(Character(Unicode.Scalar(byte)))]
        default: return []
        }
    }

    private mutating func extend(_ byte: UInt8) -> [Key] {
        if pending.count == 1 {
            switch byte {
            // CSI, and SS3 of the application mode.
            case UInt8(ascii: "["), UInt8(ascii: "O"):
                pending.append(byte)
                return []
            default:
                pending = []
                return [.escape] + on(byte)
            }
        }
        // Parameters and intermediate bytes; then one final byte.
        if (0x20...0x3f).contains(byte), pending.count < Self.longestSequence {
            pending.append(byte)
            return []
        }
        let parameter = String(decoding: pending.dropFirst(2), as: UTF8.self)
        pending = []
        return Self.key(final: byte, parameter).map { [$0] } ?? []
    }

    private static func key(final: UInt8, _ parameter: String) -> Key? {
        switch Character(Unicode.Scalar(final)) {
        case "A": .up
        case "B": .down
        case "C": .right
        case "D": .left
        case "H": .home
        case "F": .end
        // Shift and Tab: there are two lists, so it is Tab.
        case "Z": .tab
        case "M": .enter
        case "~":
            switch parameter.prefix(while: { $0 != ";" }) {
            case "1", "7": .home
            case "4", "8": .end
            case "5": .pageUp
            case "6": .pageDown
            default: nil
            }
        default: nil
        }
    }
}

/// Standard input as a keyboard: keys arrive immediately and without echo.
final class Keyboard {
    private var silence: Terminal.Silence?
    private var reader = KeyReader()
    /// The time at which an ESC without more bytes is the Escape key. Over a slow link, a sequence can arrive in parts.
    private(set) var deadline: Instant?

    private static let escapeDelay = Duration.milliseconds(50)

    init() { open() }

    /// Takes the terminal, unless there is none or the program is in the background.
    func open() { silence = Terminal.Silence(STDIN_FILENO) }

    /// Restores the terminal's settings.
    func close() { silence = nil }

    var interest: Poll.Interest? { silence == nil ? nil : Poll.Interest(STDIN_FILENO) }

    func keys(_ ready: Poll.Events, at now: Instant) -> [Key] {
        var keys: [Key] = []
        if let deadline, now >= deadline { keys = reader.expire() }
        if !ready.isEmpty {
            let bytes = Self.read()
            if bytes.isEmpty { close() }
            keys += reader.on(bytes)
        }
        deadline = reader.isIncomplete ? deadline ?? now + Self.escapeDelay : nil
        return keys
    }

    /// The bytes that are typed; none if the terminal is closed.
    private static func read() -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 64)
        let read = bytes.withUnsafeMutableBytes { Descriptor.read(STDIN_FILENO, into: $0) }
        guard case .success(let count?) = read, count > 0 else { return [] }
        return Array(bytes.prefix(count))
    }
}
