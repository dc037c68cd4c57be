import Glibc
import Posix
import Primitives

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
