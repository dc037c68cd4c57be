import Beacons
import Foundation
import HCI
import Posix
import TestSupport
import Testing

@testable import VirtualRadio

@Suite struct RadioServiceTests {
    private func station(faults: [Misbehaviour] = []) throws -> Station {
        try Station(
            live: try scenario("busy"), gateway: "entry-1",
            configuration: .init(family: .legacy, address: 0x0200_0000_0001), faults: faults)
    }

    /// Reads until `isEnough` is true or the other end closes.
    private func read(
        _ descriptor: borrowing Descriptor, until isEnough: ([UInt8]) throws -> Bool
    ) throws -> [UInt8] {
        var all: [UInt8] = []
        let number = descriptor.rawValue
        while !(try isEnough(all)) {
            let happened = try Poll.wait(for: [Poll.Interest(number)], timeout: 20_000)
            try #require(happened[0] != [], "nothing came")
            var buffer = [UInt8](repeating: 0, count: 65_536)
            let count = buffer.withUnsafeMutableBytes {
                Glibc.read(number, $0.baseAddress, $0.count)
            }
            if count <= 0 { break }
            all += buffer.prefix(count)
        }
        return all
    }

    private let listen = [
        HCICommand.reset, .setEventMask, .leSetEventMask, .scanParameters(.continuous, .legacy),
        .scanEnable(true, .legacy),
    ].flatMap(\.packet)

    /// A service in a thread of its own, on a port of its own.
    private final class Served {
        let address: Sockets.Address
        private let stop: EventCounter
        private var thread: Posix.Thread?
        private let end = Guarded<Station?>(nil)

        init(_ station: Station) throws {
            let service = try RadioService(at: .socket(.tcp(host: "127.0.0.1", port: 0)))
            guard case .socket(let address) = try service.address() else {
                throw TestFailure("no socket")
            }
            let stop = try EventCounter()
            let (number, end) = (stop.descriptor.rawValue, end)
            self.address = address
            self.stop = stop
            thread = try Posix.Thread(name: "service") {
                var station = station
                try? service.run(&station, stop: number)
                let last = station
                end.withLock { $0 = last }
            }
        }

        /// Ends the thread, and returns the station.
        func finish() -> Station? {
            stop.signal()
            thread.take()?.join()
            return end.withLock { $0 }
        }
    }

    @Test("a host receives each tallied report")
    func tallyOfHost() throws {
        let served = try Served(try station())
        let host = try Sockets.connect(to: served.address)
        try host.writeAll(listen)
        var bytes = try read(host) { try reports(in: $0).count >= 1000 }
        var station = try #require(served.finish())
        let tally = station.tally()
        // The thread has ended and closed its end.
        bytes += try read(host) { _ in false }
        #expect(try reports(in: bytes).count == tally.delivered.values.reduce(0, +))
        #expect(bytes.starts(with: hex("04 0e 04 01 03 0c 00")))
    }

    @Test("a fault drops the connection") func closeFault() throws {
        let fault = Misbehaviour(at: .milliseconds(50), after: .firstScan, .close(.zero))
        let served = try Served(try station(faults: [fault]))
        let host = try Sockets.connect(to: served.address)
        try host.writeAll(listen)
        // Until the service closes its end.
        #expect(try !read(host) { _ in false }.isEmpty)
        #expect(served.finish()?.drops == 1)
    }

    @Test("a service accepts one host after the other, each with a new controller")
    func hostAfterHost() throws {
        let served = try Served(try station())
        for _ in 0..<2 {
            let host = try Sockets.connect(to: served.address)
            // The new controller has no event mask, so it would send no reports.
            try host.writeAll(HCICommand.readDeviceAddress.packet)
            let answer = try read(host) { $0.count >= 13 }
            #expect(answer == hex("04 0e 0a 01 09 10 00 01 00 00 00 00 02"))
            try host.writeAll(listen)
            _ = try read(host) { try reports(in: $0).count >= 100 }
        }
        _ = served.finish()
    }
}
