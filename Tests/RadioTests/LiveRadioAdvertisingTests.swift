import Beacons
import HCI
import Primitives
import TestVectors
import Testing

@testable import Radio

@Suite struct LiveRadioAdvertisingTests {
    private let transport = FakeTransport()
    private static let source = ControllerSource.h4(.unix(path: "test"))
    private static let start = Instant(microseconds: 1_000_000)
    private let first = Advertising.sample(1)
    private let second = Advertising.sample(2)

    private func open(_ wish: DesiredAdvertising) throws -> LiveRadio {
        try LiveRadio(transport, source: Self.source, advertising: wish, at: Self.start)
    }

    private func visit(
        _ radio: LiveRadio, after microseconds: Int64 = 0
    ) throws -> [LiveRadio.Change] {
        var changes: [LiveRadio.Change] = []
        try radio.visit(
            at: Self.start.advanced(byMicroseconds: microseconds), heard: { _ in },
            changed: { changes.append($0) })
        return changes
    }

    /// Answers all commands from the `first` on, with these statuses and then with success.
    private func settle(
        _ radio: LiveRadio, from first: Int = 0, _ statuses: [UInt8] = []
    ) throws -> [LiveRadio.Change] {
        var changes: [LiveRadio.Change] = []
        var answered = first
        while answered < transport.sent.count {
            let opcode = transport.sent[answered].opcode
            let index = answered - first
            let status = statuses.indices.contains(index) ? statuses[index] : 0
            transport.complete(
                opcode, status == 0 ? ControllerDialogue.answer(to: opcode, .extended) : [status])
            answered += 1
            changes += try visit(radio)
        }
        return changes
    }

    @Test("What is wished at the opening is on the air once the scan is on")
    func opens() throws {
        let radio = try open(.on(first))
        #expect(radio.advertising == AdvertisingState())
        #expect(radio.ownAddress == nil)
        #expect(try settle(radio) == [.hearing, .advertised(.applied)])
        #expect(Array(transport.sent.suffix(4)) == ControllerDialogue.advertise(first, .extended))
        #expect(radio.advertising == AdvertisingState(advertising: first, txPowerDbm: 4))
        #expect(radio.ownAddress == DeviceAddress(address: 0x1122_3344_5566, type: 0))
        #expect(radio.deadline == nil)
    }

    @Test("A new wish sends its first command at once; a repeated one is answered at once")
    func wishes() throws {
        let radio = try open(.on(first))
        _ = try settle(radio)
        let before = transport.sent.count
        var changes: [LiveRadio.Change] = []
        try radio.advertise(.on(first), at: Self.start, changed: { changes.append($0) })
        #expect(changes == [.advertised(.applied)])
        #expect(transport.sent.count == before)
        changes = []
        try radio.advertise(.on(second), at: Self.start, changed: { changes.append($0) })
        #expect(changes.isEmpty)
        #expect(transport.sent.count == before + 1)
        #expect(try settle(radio, from: before) == [.advertised(.applied)])
        #expect(Array(transport.sent.suffix(4)) == ControllerDialogue.advertise(second, .extended))
        #expect(radio.advertising.advertising == second)
    }

    @Test("A refusal is an answer, not a failure of the radio")
    func refuses() throws {
        let radio = try open(.on(first))
        _ = try settle(radio)
        let before = transport.sent.count
        try radio.advertise(.on(second), at: Self.start, changed: { _ in })
        let changes = try settle(radio, from: before, [0, 0, 0x07])
        #expect(
            changes == [
                .advertised(
                    .refused(
                        AdvertisingRefusal(
                            opcode: .leSetExtendedAdvertisingData, status: .memoryCapacityExceeded,
                            concernsInterval: false,
                            sentence:
                                "the controller refused LE Set Extended Advertising Data (0x2037) with Memory Capacity Exceeded (0x07)"
                        )))
            ])
        #expect(radio.advertising.advertising == first)
    }

    @Test("What another program takes is told, put back when the radio is visited, and told again")
    func meddling() throws {
        let shared = FakeTransport(isExclusive: false)
        let radio = try LiveRadio(
            shared, source: .raw(device: 0), advertising: .on(first), at: Self.start)
        var answered = 0
        func settle() throws -> [LiveRadio.Change] {
            var changes: [LiveRadio.Change] = []
            while answered < shared.sent.count {
                let opcode = shared.sent[answered].opcode
                shared.complete(opcode, ControllerDialogue.answer(to: opcode, .extended))
                answered += 1
                changes += try visit(radio)
            }
            return changes
        }
        #expect(try settle() == [.hearing, .advertised(.applied)])
        for command in ControllerDialogue.advertise(second, .extended) {
            shared.complete(command.opcode)
        }
        #expect(try visit(radio) == [.advertisingChanged])
        #expect(radio.advertising == AdvertisingState())
        #expect(radio.interferences == 1)
        #expect(shared.sent.last == .advertisingEnable(false, .extended))
        #expect(try settle() == [.advertisingChanged])
        #expect(Array(shared.sent.suffix(4)) == ControllerDialogue.advertise(first, .extended))
        #expect(radio.advertising.advertising == first)
    }

    @Test("A transport that is gone fails the wish")
    func fails() throws {
        let radio = try open(.untouched)
        _ = try settle(radio)
        transport.failure = RadioFailure(.lost, Self.source, "gone")
        #expect(throws: RadioFailure(.lost, Self.source, "gone")) {
            try radio.advertise(.on(first), at: Self.start, changed: { _ in })
        }
    }

    @Test("Stopping switches off what is ours, unless it is to be kept")
    func stops() throws {
        let radio = try open(.on(first))
        _ = try settle(radio)
        let before = transport.sent.count
        radio.stop(keepingAdvertising: true)
        #expect(transport.sent[before...] == [.scanEnable(false, .extended)])
        radio.stop()
        #expect(
            transport.sent[(before + 1)...]
                == [.scanEnable(false, .extended), .advertisingEnable(false, .extended)])
    }
}
