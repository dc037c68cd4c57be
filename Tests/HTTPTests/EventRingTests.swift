import HTTP
import Testing

@Suite struct EventRingTests {
    @Test("a client resumes after the event that it has seen")
    func resume() {
        var ring = EventRing(epoch: "e")
        #expect(ring.latestID == "e-0")
        for _ in 0..<3 { ring.append("x", []) }
        #expect(ring.latestID == "e-3")
        #expect(ring.position(after: "e-0") == 1)
        #expect(ring.position(after: "e-2") == 3)
        #expect(ring.position(after: "e-3") == 4)
    }

    @Test(
        "a client of another epoch, from the future, or too far behind needs a snapshot",
        arguments: [
            "f-3", "e-12", "e-5", "", "e-", "e--1", "e-x", "ee-9", "e-99999999999999999999",
        ])
    func snapshot(_ seen: String) {
        var ring = EventRing(epoch: "e", capacity: 5)
        for _ in 0..<11 { ring.append("x", []) }
        #expect(ring.position(after: seen) == nil)
        #expect(ring.position(after: "e-6") == 7)
    }

    @Test("the ring keeps at most its bytes")
    func bytes() {
        var ring = EventRing(epoch: "e", capacity: 1000, maxBytes: 1000)
        for _ in 0..<100 {
            ring.append("x", [UInt8](repeating: 0x61, count: 100))
            #expect(ring.bytes <= 1000)
        }
        #expect(ring.position(after: "e-95") == 96)
        #expect(ring.position(after: "e-10") == nil)
        // Larger than the ring: it is delivered, and goes with the next one.
        ring.append("x", [UInt8](repeating: 0x61, count: 5000))
        #expect(ring.position(after: "e-100") == 101)
        #expect(ring.position(after: "e-99") == nil)
    }
}
