import TestVectors
import Testing

@testable import Agent

@Suite("batches kept for the uplink")
struct RetainedBatchesTests {
    @Test(
        "each batch is kept until the uplink that received it lets it go",
        arguments: UInt64(0)..<200)
    func model(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var retained = RetainedBatches(maxCount: 50)
        // The model: which numbers nobody has released, and what the present uplink has received of them.
        var wanted: [UInt64] = []
        var socket: [UInt64] = []
        var received: [UInt64] = []
        var held: Set<UInt64> = []
        var everSent: Set<UInt64> = []
        var next: UInt64 = 0
        for _ in 0..<400 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<8:
                if retained.append(next, [UInt8](repeating: 1, count: 10)) {
                    #expect(wanted.count < 50)
                    wanted.append(next)
                } else {
                    #expect(wanted.count == 50)
                }
                next += 1
            case 8..<12:
                guard let batch = retained.takeNext() else { continue }
                #expect(batch.isDecided == everSent.contains(batch.seq))
                socket.append(batch.seq)
            case 12..<16:
                guard !socket.isEmpty else { continue }
                received.append(socket.removeFirst())
                held.insert(received.last ?? 0)
            case 16..<18:
                if let one = held.sorted().randomElement(using: &random) { held.remove(one) }
            case 18:
                retained.release(received: UInt64(received.count)) { held.contains($0) }
                wanted.removeAll { received.contains($0) && !held.contains($0) }
            default:
                everSent.formUnion(socket + received)
                (socket, received, held) = ([], [], [])
                retained.restart()
            }
            #expect(retained.count == wanted.count)
            #expect(retained.bytes == wanted.count * 10)
        }
        retained.restart()
        var left: [UInt64] = []
        while let batch = retained.takeNext() { left.append(batch.seq) }
        #expect(left == wanted)
    }

    @Test("the bound of bytes refuses batches")
    func bytes() {
        var retained = RetainedBatches(maxCount: 50)
        let large = [UInt8](repeating: 0, count: RetainedBatches.maxBytes / 2)
        let accepted = (0..<2).map { retained.append(UInt64($0), large) }
        #expect(accepted == [true, true])
        let isRefused = !retained.append(2, [0])
        #expect(isRefused)
        _ = retained.takeNext()
        retained.release(received: 1) { _ in false }
        let hasRoom = retained.append(3, [0])
        #expect(hasRoom)
    }

    @Test("a decision that is much larger than its batch is ignored")
    func largeDecision() {
        var retained = RetainedBatches(maxCount: 50)
        let isAccepted = retained.append(0, [1])
        #expect(isAccepted)
        retained.decide(0, [UInt8](repeating: 2, count: 100))
        #expect(retained.bytes == 100)
        retained.decide(0, [UInt8](repeating: 3, count: 1 << 20))
        #expect(retained.bytes == 100)
        #expect(retained.takeNext()?.stored == [UInt8](repeating: 2, count: 100))
    }

    @Test("repeated decisions do not let a batch grow")
    func repeatedDecisions() {
        var retained = RetainedBatches(maxCount: 50)
        let isAccepted = retained.append(0, [1])
        #expect(isAccepted)
        for size in 1...100 { retained.decide(0, [UInt8](repeating: 2, count: size * 100)) }
        // A stamp and a loss add at most 256 bytes.
        #expect(retained.bytes <= 1 + 256)
    }
}
