import HCI
import Posix
import Primitives
import TestVectors
import Testing

@testable import Radio

@Suite struct LiveRadioTests {
    private enum QueuedCommand: Equatable {
        case heard(String)
        case changed(LiveRadio.Change)
    }

    private let transport = FakeTransport()
    private static let source = ControllerSource.h4(.unix(path: "test"))
    private static let start = Instant(microseconds: 1_000_000)
    private static let report = Advertisements.legacyEvent(
        Advertisements.legacyReport(Advertisements.iBeacon(7)))

    private func open() throws -> LiveRadio {
        try LiveRadio(transport, source: Self.source, at: Self.start)
    }

    private func visit(_ radio: LiveRadio, after microseconds: Int64 = 0) throws -> [QueuedCommand]
    {
        var steps: [QueuedCommand] = []
        var all: [QueuedCommand] = []
        defer { all = steps }
        try radio.visit(
            at: Self.start.advanced(byMicroseconds: microseconds),
            heard: { steps.append(.heard(digits($0.copied()))) },
            changed: { steps.append(.changed($0)) })
        _ = all
        return steps
    }

    /// Answers every command until nothing more is sent; what the visits brought.
    private func settle(_ radio: LiveRadio) throws -> [QueuedCommand] {
        var steps: [QueuedCommand] = []
        var answered = 0
        while answered < transport.sent.count {
            let opcode = transport.sent[answered].opcode
            transport.complete(opcode, ControllerDialogue.answer(to: opcode, .legacy))
            answered += 1
            steps += try visit(radio)
        }
        return steps
    }

    @Test("Opening sends the first command; answering them all ends in hearing")
    func opens() throws {
        let radio = try open()
        #expect(transport.sent == [.reset])
        #expect(try settle(radio) == [.changed(.hearing), .changed(.advertised(.applied))])
        #expect(transport.sent.suffix(3) == ControllerDialogue.scan(.legacy)[...])
        #expect(radio.family == .legacy)
    }

    @Test("Reports keep flowing while a command is unanswered")
    func flows() throws {
        let radio = try open()
        for _ in 0..<3 {
            transport.packets = [Self.report, Self.report]
            #expect(
                try visit(radio, after: 1_000_000)
                    == [.heard(digits(Self.report)), .heard(digits(Self.report))])
        }
        #expect(transport.sent == [.reset])
        transport.packets = [Self.report]
        #expect(throws: RadioFailure.self) { try visit(radio, after: 2_000_000) }
    }

    @Test("Reports and turns come in the order in which they happened")
    func order() throws {
        let radio = try open()
        var answered = 0
        while transport.sent.last != .scanEnable(true, .legacy) {
            let opcode = transport.sent[answered].opcode
            transport.complete(opcode, ControllerDialogue.answer(to: opcode, .legacy))
            answered += 1
            _ = try visit(radio)
        }
        var later = Self.report
        later[later.count - 1] = 0x80
        transport.packets = [Self.report]
        transport.complete(.leSetScanEnable)
        transport.packets.append(later)
        #expect(
            try visit(radio)
                == [
                    .heard(digits(Self.report)), .changed(.hearing),
                    .changed(.advertised(.applied)), .heard(digits(later)),
                ])
    }

    @Test("Interference is heard of in between, and taken back in the same visit")
    func interference() throws {
        let shared = FakeTransport(isExclusive: false)
        let radio = try LiveRadio(shared, source: .raw(device: 0), at: Self.start)
        var answered = 0
        while answered < shared.sent.count {
            let opcode = shared.sent[answered].opcode
            shared.complete(opcode, ControllerDialogue.answer(to: opcode, .extended))
            answered += 1
            _ = try visit(radio)
        }
        #expect(radio.family == .extended)
        shared.packets = [Self.report]
        shared.complete(.leSetExtendedScanEnable)
        shared.packets.append(Self.report)
        #expect(
            try visit(radio)
                == [.heard(digits(Self.report)), .changed(.deaf), .heard(digits(Self.report))])
        #expect(radio.interferences == 1)
        #expect(shared.sent.last == .scanEnable(false, .extended))
        #expect(shared.sent.count == answered + 1)
    }

    @Test("Drops are told as differences, once each")
    func drops() throws {
        transport.drops = 1000
        let radio = try open()
        #expect(radio.takeDrops() == 0)
        transport.drops = 1007
        #expect(radio.takeDrops() == 7)
        #expect(radio.takeDrops() == 0)
        // A counter that has gone round is a new beginning.
        transport.drops = 2
        #expect(radio.takeDrops() == 0)
        transport.drops = 5
        #expect(radio.takeDrops() == 3)
    }

    @Test("Packets that are no events are passed over")
    func rubbish() throws {
        let radio = try open()
        transport.packets = [[], [0x0e], [0x0e, 0], [0x3e, 0], [0xff, 0], [0x0f, 9, 1]]
        #expect(try visit(radio).isEmpty)
        #expect(try settle(radio).contains(.changed(.hearing)))
    }

    @Test("A hardware error is a failure, after what came before it has been heard")
    func hardwareError() throws {
        let radio = try open()
        transport.packets = [Self.report, [0x10, 0x01, 0x2a], Self.report]
        var heard = 0
        #expect {
            try radio.visit(at: Self.start, heard: { _ in heard += 1 }, changed: { _ in })
        } throws: {
            ($0 as? RadioFailure)?.kind == .hardwareError(0x2a)
        }
        #expect(heard == 2)
    }

    @Test("A transport that fails while opening fails the opening")
    func fails() {
        transport.failure = RadioFailure(.lost, Self.source, "gone")
        #expect(throws: RadioFailure(.lost, Self.source, "gone")) { try open() }
    }

    @Test("Stopping switches the scan off, and survives a transport that is gone")
    func stops() throws {
        let radio = try open()
        _ = try settle(radio)
        radio.stop()
        #expect(transport.sent.last == .scanEnable(false, .legacy))
        transport.failure = RadioFailure(.lost, Self.source, "gone")
        radio.stop()
    }

    @Test("On a controller of its own, each of the last commands is answered before the next")
    func stopsInTurn() throws {
        let radio = try LiveRadio(
            transport, source: Self.source, advertising: .on(.sample(7)), at: Self.start)
        _ = try settle(radio)
        let bell = try EventCounter()
        bell.signal()
        transport.descriptors = [bell.descriptor.rawValue]
        transport.answersAll = true
        radio.stop()
        #expect(
            transport.sent.suffix(2) == [
                .scanEnable(false, .legacy), .advertisingEnable(false, .legacy),
            ])
        #expect(transport.unreadAtCommands.suffix(2) == [0, 0])
        #expect(transport.packets.isEmpty)
        bell.clear()
    }

    @Test("A controller that does not answer is left all the same")
    func stopsInSilence() throws {
        let radio = try LiveRadio(
            transport, source: Self.source, advertising: .on(.sample(7)), at: Self.start)
        _ = try settle(radio)
        let bell = try EventCounter()
        transport.descriptors = [bell.descriptor.rawValue]
        radio.stop()
        #expect(transport.sent.last == .advertisingEnable(false, .legacy))
        bell.clear()
    }

    @Test(
        "Every fault is one sentence that names the command and what to do",
        arguments: [
            (Status.commandDisallowed, "another program drives it"),
            (.invalidParameters, "Invalid HCI Command Parameters (0x12)"),
        ])
    func sentences(status: Status, words: String) throws {
        let radio = try open()
        transport.complete(.reset, [status.rawValue])
        #expect {
            try radio.visit(at: Self.start, heard: { _ in }, changed: { _ in })
        } throws: { error in
            guard let failure = error as? RadioFailure else { return false }
            return failure.kind == .refused(.reset, status)
                && "\(failure)".hasPrefix("h4:unix:test: ")
                && failure.sentence.contains("Reset (0x0c03)") && failure.sentence.contains(words)
        }
    }
}
