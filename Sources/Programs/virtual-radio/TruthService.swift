import Posix
import Primitives
import VirtualRadio

/// Writes the truth in a thread of its own.
final class TruthService {
    private let path: String
    private let shared: Shared
    private var thread: Thread?

    /// What both threads use.
    private final class Shared: Sendable {
        let stop: EventCounter
        let ended: EventCounter
        let failure = Guarded<Errno?>(nil)

        init() throws(Errno) {
            stop = try EventCounter()
            ended = try EventCounter()
        }
    }

    init(_ scenario: Scenario, _ path: String, deadline: Instant?) throws(CantServe) {
        self.path = path
        do throws(Errno) {
            // Opened here: a file that can't be written keeps the program from starting.
            let writer = try TruthWriter(Truth(scenario), path: path)
            let shared = try Shared()
            self.shared = shared
            thread = try Thread(name: "truth") {
                do throws(Errno) {
                    try writer.run(stop: shared.stop.descriptor.rawValue, deadline: deadline)
                } catch {
                    shared.failure.withLock { $0 = error }
                }
                shared.ended.signal()
            }
        } catch {
            throw CantServe(path, error)
        }
    }

    /// Waits for its end, or until `stop` becomes readable.
    func wait(stop: CInt) throws(Errno) {
        let interests = [stop, shared.ended.descriptor.rawValue].map { Poll.Interest($0) }
        while try Poll.wait(for: interests).allSatisfy(\.isEmpty) {}
    }

    func end() throws(CantServe) {
        shared.stop.signal()
        thread.take()?.join()
        if let error = shared.failure.withLock({ $0 }) { throw CantServe(path, error) }
    }
}
