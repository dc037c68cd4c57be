import Beacons
import HCI
import Primitives

/// A Bluetooth LE controller made of nothing: HCI packets in, HCI packets out, and advertisements out of the air.
///
/// It is as strict as the strictest real ones (Core 5.4 Vol 4 Part E), so that an agent that gets along with it does so
/// with them. No clock: every call bears its time, on any timeline that does not step.
package struct SimulatedController: Sendable {
    /// What kind of controller it is.
    package struct Configuration: Sendable {
        /// The newest command family that it has; one with the extended commands has the legacy ones too.
        package var family: CommandFamily
        /// The public device address, 48 bits; 0 for a controller without one.
        package var address: UInt64
        /// Whether it can scan and advertise at the same time.
        package var canScanWhileAdvertising = true
        /// The core specification that it follows.
        package var version = CoreVersion.bluetooth50
        /// What its transmitter can do, in dBm.
        package var txPower: ClosedRange<Int8> = -20...8

        package init(family: CommandFamily, address: UInt64) {
            self.family = family
            self.address = address & 0xffff_ffff_ffff
        }

        /// `nil` for a controller without one.
        var publicAddress: UInt64? { address == 0 ? nil : address }

        /// The default power: 0 dBm, or the nearest possible value.
        var usualTxPower: Int8 { nearestTxPower(to: 0) }

        /// The possible power that is nearest to a requested one, in dBm.
        func nearestTxPower(to requested: Int8) -> Int8 {
            min(max(requested, txPower.lowerBound), txPower.upperBound)
        }

        /// A made-up address for a gateway: a locally administered one, which no manufacturer gives out.
        package static func address(of gateway: String) -> UInt64 {
            SeededRandom.number(of: gateway) & 0x00ff_ffff_ffff | 0x0200_0000_0000
        }
    }

    /// A version of the core specification, by the number that HCI has for it (Assigned Numbers 2.1).
    package enum CoreVersion: UInt8, Sendable {
        case bluetooth40 = 0x06
        /// The last without non-connectable advertising more often than every 100 ms.
        case bluetooth42 = 0x08
        case bluetooth50 = 0x09

        /// Whether non-connectable advertising is slower than other advertising.
        var advertisesSlowly: Bool { self != .bluetooth50 }

        /// The bits of the LE event mask that the version defines (7.8.1).
        var leEvents: UInt64 {
            switch self {
            case .bluetooth40: 0x1f
            case .bluetooth42: 0x7ff
            case .bluetooth50: 0xf_ffff
            }
        }
    }

    package let configuration: Configuration
    /// All that a reset puts back.
    var link = LinkState()
    var localName = [UInt8](repeating: 0, count: 248)
    var trouble = MisbehaviourState()
    /// Reports that went out, for each identity; of `nil` the others.
    package internal(set) var delivered: [BeaconIdentity?: Int] = [:]
    /// Commands that this controller does not have, and how often they came.
    package private(set) var unknownCommands: [Opcode: Int] = [:]
    /// The moment that the call at hand is about.
    var now = Instant(microseconds: 0)
    private var input: [UInt8] = []
    private var isOutOfStep = false
    private var output: [UInt8] = []

    /// The limit of buffered command bytes. A host sends one command and waits; real data buffers
    /// are far smaller. More bytes without a whole packet are not HCI.
    private static let inputRoom = 4096
    /// The code of the Hardware Error event for a stream out of step (Vol 4 Part A 4).
    private static let lostSynchronisation: UInt8 = 0x01

    package init(_ configuration: Configuration) { self.configuration = configuration }

    /// Takes in what the host wrote: H4 packets, cut anywhere.
    package mutating func receive(_ bytes: [UInt8], at time: Instant) {
        input += bytes.prefix(max(0, Self.inputRoom - input.count))
        advance(to: time)
    }

    /// Advances the clock: scans and advertising sets with a duration end.
    package mutating func advance(to time: Instant) {
        now = max(now, time)
        guard !trouble.isStalled(at: now) else { return }
        endWhatHasTimedOut()
        processInput()
    }

    /// What the controller has to say: H4 packets, all of them whole.
    package mutating func takeOutput() -> [UInt8] {
        defer { output.removeAll(keepingCapacity: true) }
        return output
    }

    /// Starts a misbehaviour at `time`. The owner of the connection carries out a `close`.
    package mutating func misbehave(_ kind: Misbehaviour.Kind, at time: Instant) {
        now = max(now, time)
        switch kind {
        case .hardwareError(let code):
            link.scan.isEnabled = false
            link.switchAdvertisingOff()
            emit(event: Event.Code.hardwareError, [code], maskBit: 15)
        case .stall, .silent, .refuse, .close: trouble.begin(kind, at: now)
        }
    }

    /// Switches the power off and on. Counters and misbehaviours stay.
    package mutating func powerCycle() {
        link = LinkState()
        localName = [UInt8](repeating: 0, count: 248)
        forgetConversation()
    }

    /// Drops partial packets and pending answers for the next host. The host's settings stay.
    package mutating func forgetConversation() {
        input = []
        output = []
        isOutOfStep = false
    }

    private mutating func processInput() {
        // Indices instead of slices: a command may be followed by hundreds.
        var offset = 0
        while let command = nextCommand(&offset) { execute(command) }
        input.removeFirst(min(offset, input.count))
    }

    private mutating func nextCommand(_ offset: inout Int) -> HCICommand? {
        while true {
            if isOutOfStep, !findReset(&offset) { return nil }
            let start = offset
            var packet: H4.Packet?
            do throws(H4.OutOfStep) {
                packet = try input.withBytes { bytes throws(H4.OutOfStep) in
                    try H4.packet(in: bytes, at: start)
                }
            } catch {
                loseStep()
                continue
            }
            guard let packet else {
                guard input.count - offset >= Self.inputRoom else { return nil }
                loseStep()
                continue
            }
            offset = packet.body.upperBound
            guard packet.type == .command else { continue }
            let body = input[packet.body]
            let opcode = UInt16(body[body.startIndex]) | UInt16(body[body.startIndex + 1]) << 8
            return HCICommand(Opcode(rawValue: opcode), Array(body.dropFirst(3)))
        }
    }

    private mutating func loseStep() {
        isOutOfStep = true
        emit(event: Event.Code.hardwareError, [Self.lostSynchronisation], maskBit: 15)
    }

    /// Out of step, only a Reset command brings the two sides together again.
    private mutating func findReset(_ offset: inout Int) -> Bool {
        let reset = HCICommand.reset.packet
        while offset + reset.count <= input.count {
            if input[offset..<offset + reset.count].elementsEqual(reset) {
                isOutOfStep = false
                return true
            }
            offset += 1
        }
        return false
    }

    private mutating func execute(_ command: HCICommand) {
        if let status = trouble.refusal(of: command.opcode) {
            return complete(command.opcode, status)
        }
        guard let known = KnownCommand.table[command.opcode.rawValue],
            known.isKnown(to: configuration.family)
        else {
            unknownCommands[command.opcode, default: 0] += 1
            return refuseUnknown(command.opcode)
        }
        do throws(CommandRefusal) {
            if configuration.family == .extended, let family = known.family {
                try CommandRefusal.unless(link.family ?? family == family, .disallowed)
                link.family = family
            }
            try CommandRefusal.unless(known.count.contains(command.parameters.count))
            let answer = try known.action(&self, Parameters(command.parameters))
            complete(command.opcode, .success, answer)
        } catch {
            complete(command.opcode, error.status)
        }
    }

    /// Real controllers refuse what they don't know with either event, so this one does both.
    private mutating func refuseUnknown(_ opcode: Opcode) {
        guard KnownCommand.table[opcode.rawValue] != nil else {
            return complete(opcode, .unknownCommand)
        }
        emit(
            event: Event.Code.commandStatus,
            [HCIStatus.unknownCommand.rawValue, 1] + opcode.rawValue.littleEndianBytes)
    }

    private mutating func complete(_ opcode: Opcode, _ status: HCIStatus, _ answer: [UInt8] = []) {
        emit(
            event: Event.Code.commandComplete,
            [1] + opcode.rawValue.littleEndianBytes + [status.rawValue] + answer)
    }

    /// Sends an event; one with a bit in the event mask only when the host has asked for it.
    mutating func emit(event code: UInt8, _ parameters: [UInt8], maskBit: UInt64? = nil) {
        if let maskBit, link.eventMask >> maskBit & 1 == 0 { return }
        output += [H4.PacketType.event.rawValue, code, UInt8(clamping: parameters.count)]
        output += parameters.prefix(255)
    }

    /// Sends an LE event; both masks must let it through.
    mutating func emit(leEvent subevent: UInt8, _ parameters: [UInt8]) {
        guard subevent > 0, link.leEventMask >> UInt64(subevent - 1) & 1 == 1 else { return }
        emit(event: Event.Code.leMeta, [subevent] + parameters, maskBit: 61)
    }
}
