import HCI
import Posix
import Primitives
import TestVectors
import Testing

@testable import Radio

@Suite struct LiveRadioTests {
    private enum Output: Equatable {
        case report(String)
        case notice(Controller.Notice)
    }

    private let transport = FakeTransport()
    private static let source = ControllerSource.h4(.unix(path: "test"))
    private static let start = Instant(microseconds: 1_000_000)
    private static let report = Advertisements.legacyEvent(
        Advertisements.legacyReport(Advertisements.iBeacon(7)))

    private func open() throws -> LiveRadio {
        try LiveRadio(transport, source: Self.source, at: Self.start)
    }

    private func visit(_ radio: LiveRadio, after microseconds: Int64 = 0) throws -> [Output] {
        var outputs: [Output] = []
        var all: [Output] = []
        defer { all = outputs }
        try radio.receive(
            at: Self.start.advanced(byMicroseconds: microseconds),
            report: { _, event, _ in outputs.append(.report(digits(event.copied()))) },
            notify: { outputs.append(.notice($0)) })
        _ = all
        return outputs
    }

    /// Answers every command until nothing more is sent; what the visits brought.
    private func settle(_ radio: LiveRadio) throws -> [Output] {
        var outputs: [Output] = []
        var answered = 0
        while answered < transport.sent.count {
            let opcode = transport.sent[answered].opcode
            transport.complete(opcode, ControllerDialogue.answer(to: opcode, .legacy))
            answered += 1
            outputs += try visit(radio)
        }
        return outputs
    }

    @Test("opening sends the first command, and the scan starts after all answers")
    func opens() throws {
        let radio = try open()
        #expect(transport.sent == [.reset])
        #expect(try settle(radio) == [.notice(.scanStarted), .notice(.advertised(.applied))])
        #expect(transport.sent.suffix(3) == ControllerDialogue.scan(.legacy)[...])
        #expect(radio.family == .legacy)
    }

    @Test("reports arrive while a command waits for its answer")
    func flows() throws {
        let radio = try open()
        for _ in 0..<3 {
            transport.packets = [Self.report, Self.report]
            #expect(
                try visit(radio, after: 1_000_000)
                    == [.report(digits(Self.report)), .report(digits(Self.report))])
        }
        #expect(transport.sent == [.reset])
        transport.packets = [Self.report]
        #expect(throws: RadioFailure.self) { try visit(radio, after: 2_000_000) }
    }

    @Test("an answer behind reports that wait since a stall is in time")
    func stalls() throws {
        let radio = try open()
        transport.burst = 100
        transport.packets = [[UInt8]](repeating: Self.report, count: 300)
        transport.complete(.reset)
        var reports = 0
        for _ in 0..<4 { reports += try visit(radio, after: 2_500_000).count }
        #expect(reports == 300)
        #expect(transport.sent == [.reset, .setEventMask])
    }

    @Test("reports and notices arrive in the order of their events")
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
                    .report(digits(Self.report)), .notice(.scanStarted),
                    .notice(.advertised(.applied)), .report(digits(later)),
                ])
    }

    @Test("interference is reported between the reports, and a later read corrects it")
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
                == [
                    .report(digits(Self.report)), .notice(.scanStopped),
                    .report(digits(Self.report)),
                ])
        #expect(radio.interferences == 1)
        #expect(shared.sent.count == answered)
        #expect(try visit(radio, after: 200_000).isEmpty)
        #expect(shared.sent.last == .scanEnable(false, .extended))
        #expect(shared.sent.count == answered + 1)
    }

    @Test("drops are reported as differences, each once")
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

    @Test("packets other than events are ignored")
    func rubbish() throws {
        let radio = try open()
        transport.packets = [[], [0x0e], [0x0e, 0], [0x3e, 0], [0xff, 0], [0x0f, 9, 1]]
        #expect(try visit(radio).isEmpty)
        #expect(try settle(radio).contains(.notice(.scanStarted)))
    }

    @Test("a hardware error is a failure after all earlier reports")
    func hardwareError() throws {
        let radio = try open()
        transport.packets = [Self.report, [0x10, 0x01, 0x2a], Self.report]
        var heard = 0
        #expect {
            try radio.receive(at: Self.start, report: { _, _, _ in heard += 1 }, notify: { _ in })
        } throws: {
            ($0 as? RadioFailure)?.kind == .hardwareError(0x2a)
        }
        #expect(heard == 2)
    }

    @Test("a transport that fails during opening fails the opening")
    func fails() {
        transport.failure = RadioFailure(.lost, Self.source, "gone")
        #expect(throws: RadioFailure(.lost, Self.source, "gone")) { try open() }
    }

    @Test("stopping switches the scan off, and ignores a closed transport")
    func stops() throws {
        let radio = try open()
        _ = try settle(radio)
        radio.stop()
        #expect(transport.sent.last == .scanEnable(false, .legacy))
        transport.failure = RadioFailure(.lost, Self.source, "gone")
        radio.stop()
    }

    @Test("an exclusive controller answers each of the last commands before the next one")
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

    @Test("a controller that does not answer is closed without a failure")
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
        "every fault's text has the command and the remedy",
        arguments: [
            (HCIStatus.commandDisallowed, "another program drives it"),
            (.invalidParameters, "Invalid HCI Command Parameters (0x12)"),
        ])
    func sentences(status: HCIStatus, words: String) throws {
        let radio = try open()
        transport.complete(.reset, [status.rawValue])
        #expect {
            try radio.receive(at: Self.start, report: { _, _, _ in }, notify: { _ in })
        } throws: { error in
            guard let failure = error as? RadioFailure else { return false }
            return failure.kind == .refused(.reset, status)
                && "\(failure)".hasPrefix("h4:unix:test: ")
                && failure.sentence.contains("Reset (0x0c03)") && failure.sentence.contains(words)
        }
    }
}
