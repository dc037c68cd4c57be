import HCI
import Posix
import Primitives

/// A capture played back at full speed, on its own clock.
package final class Replay {
    /// Why a capture can't be played, or not to its end; a sentence that names the file.
    package struct Failure: Error, Equatable, CustomStringConvertible {
        package let description: String
    }

    private let path: String
    private let file: MappedFile

    package init(path: String) throws(Failure) {
        self.path = path
        file = try Self.map(path)
    }

    private static func map(_ path: String) throws(Failure) -> MappedFile {
        do throws(Errno) { return try MappedFile(path: path) } catch {
            // A pipe, say: read once, it could not be mapped.
            let reason = error == .invalidArgument ? "not a regular file" : "\(error)"
            throw Failure(description: "\(path): \(reason)")
        }
    }

    /// Hands each event of the capture to `listener`, with the time of its record, until that says `false`.
    ///
    /// A capture that is damaged throws after all that was readable before the damage has been handed out.
    package func play(
        _ listener: (_ event: Bytes, _ record: Btsnoop.Record) -> Bool
    ) throws(Failure) {
        let failure = file.withBytes { buffer in
            lend(buffer) { bytes -> Btsnoop.Failure? in
                do throws(Btsnoop.Failure) {
                    var walk = try Btsnoop(bytes)
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
