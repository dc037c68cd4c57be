import HCI
import Posix
import Primitives

/// Plays a capture at full speed, with the capture's own times.
package final class Replay {
    /// Why the capture can't be played to its end. The description names the file.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    private let path: String
    private let adapter: UInt16?
    private let file: MappedFile

    package init(_ name: CaptureName) throws(Failure) {
        path = name.path
        adapter = name.adapter
        file = try Self.map(path)
    }

    private static func map(_ path: String) throws(Failure) -> MappedFile {
        do throws(Errno) { return try MappedFile(path: path) } catch {
            // A pipe, for example, can't be mapped.
            let reason = error == .invalidArgument ? "not a regular file" : "\(error)"
            throw Failure(description: "\(path): \(reason)")
        }
    }

    /// Hands each event of the adapter and its record to `listener`, until `listener` returns `false`.
    ///
    /// - Throws: the adapters of a capture that has not exactly the reports of one, before all events; the damage of a
    ///   capture, after all events before it.
    package func play(
        _ listener: (_ event: Bytes, _ record: Btsnoop.Record) -> Bool
    ) throws(Failure) {
        let failure = file.withBytes { buffer in
            lend(buffer) { bytes -> Btsnoop.Failure? in
                do throws(Btsnoop.Failure) {
                    let chosen = try Btsnoop.adapter(self.adapter, of: bytes)
                    var walk = try Btsnoop(bytes, adapter: chosen)
                    try walk.forEach(in: bytes, listener)
                    return nil
                } catch {
                    return error
                }
            }
        }
        if let failure { throw Failure(description: "\(path): \(failure)") }
    }
}

/// A capture file and the adapter whose events are played: `FILE` or `FILE#hci1`.
package struct CaptureName: Equatable, Sendable {
    package let path: String
    /// `nil` for a capture of one adapter.
    package let adapter: UInt16?

    package init(parsing text: String) {
        let marker = "#hci"
        guard let hash = text.lastIndex(of: "#"), text[hash...].hasPrefix(marker),
            let number = UInt16(text[hash...].dropFirst(marker.count))
        else {
            path = text
            adapter = nil
            return
        }
        path = String(text[..<hash])
        adapter = number
    }
}
