import Glibc
import Testing

@testable import Posix

@Suite struct ThreadTests {
    private final class Box: Sendable {
        let value = Guarded(0)
    }

    @Test("joining waits for the end of the thread")
    func joins() throws {
        let box = Box()
        for round in 1...20 {
            let thread = try Thread(name: "a name that is longer than fifteen bytes") {
                box.value.withLock { $0 += 1 }
            }
            thread.join()
            #expect(box.value.withLock { $0 } == round)
        }
    }

    @Test(
        "a thread has its name, up to the kernel's limit",
        arguments: ["uplink", "abcdefghijklmnopqrstuvwxyz"])
    func names(name: String) throws {
        let gate = try EventCounter()
        let gateNumber = gate.descriptor.rawValue
        let box = Box()
        let thread = try Thread(name: name) {
            // The starter sets the name, perhaps after the thread begins.
            _ = try? Poll.wait(for: [Poll.Interest(gateNumber)], timeout: 10_000)
            let text = try? Self.name()
            box.value.withLock { $0 = text == String(name.prefix(15)) + "\n" ? 1 : 2 }
        }
        gate.signal()
        thread.join()
        #expect(box.value.withLock { $0 } == 1)
    }

    /// The kernel's name of the calling thread.
    private static func name() throws -> String {
        let file = try Descriptor.open(reading: "/proc/thread-self/comm")
        var buffer = [UInt8](repeating: 0, count: 64)
        let number = file.rawValue
        let result = buffer.withUnsafeMutableBytes { Descriptor.read(number, into: $0) }
        return String(decoding: buffer.prefix(try result.get() ?? 0), as: UTF8.self)
    }
}
