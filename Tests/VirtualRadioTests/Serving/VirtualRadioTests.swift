import Beacons
import Foundation
import HCI
import Posix
import Testing

@testable import VirtualRadio

@Suite struct VirtualRadioTests {
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

    @Test("an agent at the other end of a pair receives each tallied report")
    func tallyOfAgent()
        throws
    {
        let radio = try VirtualRadio(try station())
        guard let agent = radio.takeAgentEnd() else {
            Issue.record("no descriptor")
            return
        }
        try agent.writeAll(listen)
        var bytes = try read(agent) { try reports(in: $0).count >= 1000 }
        let stopped = radio.stop()
        let tally = try #require(stopped)
        // The thread has ended and closed its end.
        bytes += try read(agent) { _ in false }
        #expect(try reports(in: bytes).count == tally.delivered.values.reduce(0, +))
        #expect(bytes.starts(with: hex("04 0e 04 01 03 0c 00")))
    }

    @Test("a station ends when the agent closes its end") func agentCloses()
        throws
    {
        let radio = try VirtualRadio(try station())
        if let agent = radio.takeAgentEnd() { agent.close() }
        let isTaken = radio.takeAgentEnd() == nil
        #expect(isTaken)
        let tally = radio.stop()
        #expect(tally != nil)
    }

    @Test("a fault drops the connection") func closeFault() throws {
        let radio = try VirtualRadio(
            try station(faults: [Misbehaviour(at: .milliseconds(50), .close(.zero))]))
        guard let agent = radio.takeAgentEnd() else {
            Issue.record("no descriptor")
            return
        }
        #expect(try read(agent) { _ in false }.isEmpty)
        _ = radio.stop()
    }

    @Test("a service accepts one host after the other, each with a new controller")
    func hostAfterHost() throws {
        let service = try RadioService(at: .socket(.tcp(host: "127.0.0.1", port: 0)))
        guard case .socket(let address) = try service.address() else {
            Issue.record("no socket")
            return
        }
        let stop = try EventCounter()
        let number = stop.descriptor.rawValue
        let station = try station()
        let thread = try Thread(name: "service") {
            var station = station
            try? service.run(&station, stop: number)
        }
        for _ in 0..<2 {
            let host = try Sockets.connect(to: address)
            // The new controller has no event mask, so it would send no reports.
            try host.writeAll(HCICommand.readDeviceAddress.packet)
            let answer = try read(host) { $0.count >= 13 }
            #expect(answer == hex("04 0e 0a 01 09 10 00 01 00 00 00 00 02"))
            try host.writeAll(listen)
            _ = try read(host) { try reports(in: $0).count >= 100 }
        }
        stop.signal()
        thread.join()
    }
}
