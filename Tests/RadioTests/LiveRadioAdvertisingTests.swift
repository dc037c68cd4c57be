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

    private func open(_ desired: DesiredAdvertising) throws -> LiveRadio {
        try LiveRadio(transport, source: Self.source, advertising: desired, at: Self.start)
    }

    private func visit(
        _ radio: LiveRadio, after microseconds: Int64 = 0
    ) throws -> [Controller.Notice] {
        var notices: [Controller.Notice] = []
        try radio.receive(
            at: Self.start.advanced(byMicroseconds: microseconds), report: { _, _, _ in },
            notify: { notices.append($0) })
        return notices
    }

    /// Answers all commands from the `first` on, with these statuses and then with success.
    private func settle(
        _ radio: LiveRadio, from first: Int = 0, _ statuses: [UInt8] = []
    ) throws -> [Controller.Notice] {
        var notices: [Controller.Notice] = []
        var answered = first
        while answered < transport.sent.count {
            let opcode = transport.sent[answered].opcode
            let index = answered - first
            let status = statuses.indices.contains(index) ? statuses[index] : 0
            transport.complete(
                opcode, status == 0 ? ControllerDialogue.answer(to: opcode, .extended) : [status])
            answered += 1
            notices += try visit(radio)
        }
        return notices
    }

    @Test("the advertising that opening requests starts after the scan")
    func opens() throws {
        let radio = try open(.on(first))
        #expect(radio.advertising == AdvertisingState())
        #expect(radio.ownAddress == nil)
        #expect(try settle(radio) == [.scanStarted, .advertised(.applied)])
        #expect(Array(transport.sent.suffix(4)) == ControllerDialogue.advertise(first, .extended))
        #expect(radio.advertising == AdvertisingState(advertising: first, txPowerDbm: 4))
        #expect(radio.ownAddress == DeviceAddress(address: 0x1122_3344_5566, type: 0))
        #expect(radio.deadline == nil)
    }

    @Test(
        "a new request sends its first command immediately, a repeated one is answered immediately")
    func requests() throws {
        let radio = try open(.on(first))
        _ = try settle(radio)
        let before = transport.sent.count
        var notices: [Controller.Notice] = []
        try radio.advertise(.on(first), at: Self.start, notify: { notices.append($0) })
        #expect(notices == [.advertised(.applied)])
        #expect(transport.sent.count == before)
        notices = []
        try radio.advertise(.on(second), at: Self.start, notify: { notices.append($0) })
        #expect(notices.isEmpty)
        #expect(transport.sent.count == before + 1)
        #expect(try settle(radio, from: before) == [.advertised(.applied)])
        #expect(Array(transport.sent.suffix(4)) == ControllerDialogue.advertise(second, .extended))
        #expect(radio.advertising.advertising == second)
    }

    @Test("a refusal is a result, and no failure of the radio")
    func refuses() throws {
        let radio = try open(.on(first))
        _ = try settle(radio)
        let before = transport.sent.count
        try radio.advertise(.on(second), at: Self.start, notify: { _ in })
        let notices = try settle(radio, from: before, [0, 0, 0x07])
        #expect(
            notices == [
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

    @Test(
        "interference with the advertising is reported, corrected by the next read, and reported again"
    )
    func meddling() throws {
        let shared = FakeTransport(isExclusive: false)
        let radio = try LiveRadio(
            shared, source: .raw(device: 0), advertising: .on(first), at: Self.start)
        var answered = 0
        func settle() throws -> [Controller.Notice] {
            var notices: [Controller.Notice] = []
            while answered < shared.sent.count {
                let opcode = shared.sent[answered].opcode
                shared.complete(opcode, ControllerDialogue.answer(to: opcode, .extended))
                answered += 1
                notices += try visit(radio)
            }
            return notices
        }
        #expect(try settle() == [.scanStarted, .advertised(.applied)])
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

    @Test("a closed transport fails the request")
    func fails() throws {
        let radio = try open(.untouched)
        _ = try settle(radio)
        transport.failure = RadioFailure(.lost, Self.source, "gone")
        #expect(throws: RadioFailure(.lost, Self.source, "gone")) {
            try radio.advertise(.on(first), at: Self.start, notify: { _ in })
        }
    }

    @Test("stopping disables the gateway's advertising, unless it must stay")
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
