import Primitives
import Testing

@testable import Radio

@Suite struct AdapterMemoryTests {
    private typealias Adapter = AdapterMemory.Adapter

    private let ours: UInt64 = 0x0200_5e00_5301
    private let other: UInt64 = 0x0200_5e00_5302
    private let now = Instant(microseconds: 5_000_000)

    private func known(at device: UInt16 = 0) -> AdapterMemory {
        var memory = AdapterMemory(device: device)
        memory.learn([Adapter(device: device, address: ours)])
        return memory
    }

    @Test("before the first opening, the configured index identifies the adapter")
    func unknown() {
        var memory = AdapterMemory(device: 3)
        #expect(memory.find(among: [], at: now) == 3)
        #expect(memory.find(among: [Adapter(device: 3, address: other)], at: now) == 3)
        memory.learn([Adapter(device: 3, address: nil), Adapter(device: 0, address: other)])
        #expect(memory.find(among: [Adapter(device: 3, address: other)], at: now) == 3)
    }

    @Test("the adapter is found at each index where it appears")
    func moves() {
        var memory = known()
        for device in [0, 1, 7, 7, 0] as [UInt16] {
            let adapters = [
                Adapter(device: 4, address: other), Adapter(device: device, address: ours),
            ]
            #expect(memory.find(among: adapters, at: now) == device)
            #expect(memory.device == device)
        }
    }

    @Test("without the adapter, the last index stays")
    func gone() {
        var memory = known(at: 2)
        #expect(memory.find(among: [], at: now) == 2)
        #expect(memory.find(among: [Adapter(device: 0, address: other)], at: now) == 2)
        #expect(memory.find(among: [Adapter(device: 2, address: nil)], at: now) == 2)
    }

    @Test("another adapter at the index becomes the replacement after a minute")
    func replaced() {
        var memory = known()
        let stranger = [Adapter(device: 0, address: other)]
        #expect(memory.find(among: stranger, at: now) == nil)
        let later = now.advanced(byMicroseconds: 59_000_000)
        #expect(memory.find(among: stranger, at: later) == nil)
        // Ours was only late.
        #expect(memory.find(among: stranger + [Adapter(device: 1, address: ours)], at: later) == 1)
        #expect(memory.find(among: [Adapter(device: 1, address: other)], at: later) == nil)
        let muchLater = later.advanced(byMicroseconds: 60_000_000)
        #expect(memory.find(among: [Adapter(device: 1, address: other)], at: muchLater) == 1)
        memory.learn([Adapter(device: 1, address: other)])
        #expect(memory.find(among: [Adapter(device: 5, address: other)], at: muchLater) == 5)
    }

    @Test("the index decides between two adapters with one address")
    func twins() {
        var memory = known(at: 1)
        let twins = [Adapter(device: 0, address: ours), Adapter(device: 1, address: ours)]
        #expect(memory.find(among: twins, at: now) == 1)
    }
}
