import Posix
import Primitives

/// Serves several stations, each on its own thread. They end together.
package enum RadioServices {
    /// A station, and where it serves.
    package struct Post: Sendable {
        package let station: Station
        package let service: RadioService

        package init(_ station: Station, _ service: RadioService) {
            self.station = station
            self.service = service
        }
    }

    /// What became of a station.
    package struct Outcome: Sendable {
        package var station: Station
        /// What ended it, and so the others, before the time; `nil` for a station that went on to the end.
        package let failure: Errno?
    }

    /// Serves until `stop` becomes readable, `deadline` (boot clock) passes, or a
    /// service fails.
    ///
    /// - Returns: the outcomes in the order of the posts, after all threads have ended.
    /// - Throws: when threads or descriptors are exhausted at the start.
    package static func run(
        _ posts: [Post], stop: CInt, deadline: Instant? = nil
    ) throws(Errno) -> [Outcome] {
        let ends = try Ends()
        var members: [Member] = []
        var failure: Errno?
        do throws(Errno) {
            for post in posts { members.append(try Member(post, ends, deadline)) }
            let interests = [stop, ends.someEnded.descriptor.rawValue].map { Poll.Interest($0) }
            while try Poll.wait(for: interests).allSatisfy(\.isEmpty) {}
        } catch {
            failure = error
        }
        ends.all.signal()
        let outcomes = members.compactMap { $0.join() }
        if let failure { throw failure }
        return outcomes
    }

    /// The end of all, and of one.
    private final class Ends: Sendable {
        let all: EventCounter
        let someEnded: EventCounter

        init() throws(Errno) {
            all = try EventCounter()
            someEnded = try EventCounter()
        }
    }

    /// A thread with its station.
    private final class Member {
        private let outcome = Guarded<Outcome?>(nil)
        private var thread: Thread?

        init(_ post: Post, _ ends: Ends, _ deadline: Instant?) throws(Errno) {
            let outcome = outcome
            thread = try Thread(name: "radio-\(post.station.gateway.id)") {
                var station = post.station
                var failure: Errno?
                do throws(Errno) {
                    try post.service.run(
                        &station, stop: ends.all.descriptor.rawValue, deadline: deadline)
                } catch {
                    failure = error
                }
                let end = Outcome(station: station, failure: failure)
                outcome.withLock { $0 = end }
                ends.someEnded.signal()
            }
        }

        func join() -> Outcome? {
            thread.take()?.join()
            return outcome.withLock { $0 }
        }
    }
}
