import Primitives
import Testing

@testable import Server

@Suite("connections to the broker that do not last")
struct BriefConnectionsTests {
    private var connections = BriefConnections()

    private func fault(_ second: Int64) -> String? {
        connections.fault("a rival", at: Instant(microseconds: second * 1_000_000))
    }

    private mutating func connection(_ seconds: Range<Int64>) {
        connections.began(at: Instant(microseconds: seconds.lowerBound * 1_000_000))
        connections.ended(at: Instant(microseconds: seconds.upperBound * 1_000_000))
    }

    @Test("three in succession are a fault, until a connection lasts")
    mutating func fault() {
        connection(0..<1000)
        connection(1001..<1009)
        connection(1010..<1019)
        #expect(fault(1020) == nil)
        connection(1020..<1029)
        let text = "The last 3 connections to the broker ended soon after they began: a rival."
        #expect(fault(1030) == text)
        connections.began(at: Instant(microseconds: 1_031_000_000))
        #expect(fault(1050) == text)
        #expect(fault(1060) == nil)
    }

    @Test("a longer connection begins the count again; those that the server ends do not count")
    mutating func others() {
        connection(0..<1)
        connection(2..<3)
        connection(4..<40)
        connection(41..<42)
        connection(43..<44)
        #expect(fault(45) == nil)
        connections.began(at: Instant(microseconds: 46_000_000))
        connections.interrupted()
        connections.ended(at: Instant(microseconds: 47_000_000))
        #expect(fault(48) == nil)
        connection(49..<50)
        #expect(fault(50) != nil)
    }
}
