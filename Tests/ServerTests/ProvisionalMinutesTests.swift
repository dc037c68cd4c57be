import Facts
import Queueing
import Testing

@testable import Server

@Suite("provisional minutes")
struct ProvisionalMinutesTests {
    /// Empty minutes of a queue that has no gateway.
    private func minutes(_ count: Int) throws -> [QueuePeriod] {
        let layout = try QueueServer().layout
        var estimator = QueueEstimator(layout)
        for second in 0..<Int64(count) * 60 {
            for gateway in layout.gateways {
                _ = estimator.take(QueueServer.window(second), from: gateway)
            }
        }
        estimator.advance(through: UnixSecond(QueueServer.noon / 1000 + Int64(count) * 60 + 2))
        return estimator.provisional
    }

    @Test("many are published in parts, the first ones first")
    func parts() throws {
        let all = try minutes(25)
        var minutes = ProvisionalMinutes()
        var published: [[QueuePeriod]] = []
        repeat {
            published.append(
                Array(minutes.next(at: 60, isFinalNew: false, isBehind: false) { all }))
        } while !minutes.isEmpty
        #expect(published.map(\.count) == [10, 10, 5])
        #expect(published.flatMap { $0 } == all)
    }

    @Test("they are published once a minute, and once after final minutes")
    func due() throws {
        let all = try minutes(3)
        var minutes = ProvisionalMinutes()
        func count(_ second: UnixSecond, isFinalNew: Bool = false, isBehind: Bool = false) -> Int {
            minutes.next(at: second, isFinalNew: isFinalNew, isBehind: isBehind) { all }.count
        }
        #expect(count(60) == 3)
        #expect(count(61) == 0)
        #expect(count(62, isFinalNew: true) == 3)
        #expect(count(63, isFinalNew: true, isBehind: true) == 0)
        #expect(count(64) == 3)
        #expect(count(120, isBehind: true) == 3)
        #expect(count(121) == 3)
        #expect(count(122) == 0)
    }
}
