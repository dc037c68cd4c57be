import Beacons
import HCI
import Primitives
import TestVectors

@testable import Radio

/// Drives the state machine with a controller's event bytes.
final class ControllerDialogue {
    private var controller: Controller
    var now = Instant(microseconds: 10_000_000)

    init(isExclusive: Bool = true, advertising: DesiredAdvertising = .untouched) {
        controller = Controller(isExclusive: isExclusive, advertising: advertising)
    }

    var deadline: Instant? { controller.deadline }
    var family: CommandFamily? { controller.family }
    var isScanning: Bool { controller.isScanning }
    var interferences: Int { controller.interferences }
    var capabilities: Capabilities { controller.capabilities }
    var advertising: AdvertisingState { controller.advertising }

    func stopCommands(keepingAdvertising: Bool = false) -> [HCICommand] {
        controller.stopCommands(keepingAdvertising: keepingAdvertising)
    }

    func advertise(_ desired: DesiredAdvertising) -> [Controller.Action] {
        controller.advertise(desired, at: now)
    }

    func probe() -> [Controller.Action] { controller.probe(at: now) }

    func rescan() -> [Controller.Action] { controller.rescan(at: now) }

    func start() -> [Controller.Action] { controller.start(at: now) }

    func wait(_ microseconds: Int64) { now = now.advanced(byMicroseconds: microseconds) }

    func tick() throws(Controller.Fault) -> [Controller.Action] { try controller.tick(at: now) }

    /// Handles an event packet from the controller; ignores malformed ones.
    func event(_ packet: [UInt8]) throws(Controller.Fault) -> [Controller.Action] {
        let now = now
        return try packet.withBytes { bytes throws(Controller.Fault) in
            guard let event = try? Event(bytes) else { return [] }
            return try controller.on(event, bytes, at: now)
        }
    }

    /// Another program's command passes, before its answer.
    func overhear(_ command: HCICommand) { controller.overheard(command, at: now) }

    /// Another program's command, and the controller's success.
    func foreign(_ command: HCICommand) throws(Controller.Fault) -> [Controller.Action] {
        overhear(command)
        return try complete(command.opcode)
    }

    func complete(
        _ opcode: Opcode, _ answer: [UInt8] = [0], credits: UInt8 = 1
    ) throws(Controller.Fault) -> [Controller.Action] {
        try event(
            [0x0e, UInt8(answer.count + 3), credits] + opcode.rawValue.littleEndianBytes + answer)
    }

    func status(
        _ opcode: Opcode, _ status: HCIStatus, credits: UInt8 = 1
    ) throws(Controller.Fault) -> [Controller.Action] {
        try event([0x0f, 4, status.rawValue, credits] + opcode.rawValue.littleEndianBytes)
    }

    /// The answer of a controller without faults.
    static func answer(to opcode: Opcode, _ family: CommandFamily) -> [UInt8] {
        switch opcode {
        case .readLocalSupportedCommands:
            var answer = [UInt8](repeating: 0, count: 65)
            if family == .extended { answer[38] = 0x60 }
            return answer
        case .leReadLocalSupportedFeatures:
            return [0, 0x3f, family == .extended ? 0x10 : 0, 0, 0, 0, 0, 0, 0]
        case .leReadSupportedStates: return [0, 0xff, 0xff, 0, 0, 0, 0, 0, 0]
        case .readDeviceAddress: return [0, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11]
        case .leSetExtendedAdvertisingParameters: return [0, 4]
        case .readLocalVersion: return [0, 9, 0, 0, 9, 0, 0, 0, 0]
        default: return [0]
        }
    }

    /// Answers all commands, and returns all actions.
    func converse(
        _ family: CommandFamily, from actions: [Controller.Action]
    ) throws(Controller.Fault) -> [Controller.Action] {
        var all = actions
        var open = actions
        while !open.isEmpty {
            let action = open.removeFirst()
            guard case .send(let command) = action else { continue }
            let opcode = command.opcode
            let more = try complete(opcode, Self.answer(to: opcode, family))
            all += more
            open += more
        }
        return all
    }

    /// A dialogue that has come to hear.
    static func scanning(
        _ family: CommandFamily, isExclusive: Bool, advertising: DesiredAdvertising = .untouched
    ) throws(Controller.Fault) -> ControllerDialogue {
        let dialogue = ControllerDialogue(isExclusive: isExclusive, advertising: advertising)
        _ = try dialogue.converse(family, from: dialogue.start())
        return dialogue
    }

    static func scan(_ family: CommandFamily) -> [HCICommand] {
        [
            .scanEnable(false, family), .scanParameters(.continuous, family),
            .scanEnable(true, family),
        ]
    }

    /// What silences the family that is not in use.
    static func silence(_ family: CommandFamily) -> [HCICommand] {
        [.scanEnable(false, family), .advertisingEnable(false, family)]
    }

    /// All the commands that put something on the air, in their order.
    static func advertise(
        _ advertising: Advertising, set: Int = 0, _ family: CommandFamily
    ) -> [HCICommand] {
        [
            .advertisingEnable(false, set: set, family),
            .advertisingParameters(
                set: set, interval: advertising.interval.units, txPower: advertising.txPowerDbm,
                family),
            .advertisingData(advertising.beacon.advertisingData, set: set, family),
            .advertisingEnable(true, set: set, family),
        ]
    }
}

extension Advertising {
    /// A gateway's iBeacon with this minor number.
    static func sample(
        _ minor: UInt16, milliseconds: Int = 100, formats: BeaconFormats = .iBeacon,
        txPowerDbm: Int8? = nil
    ) -> Advertising {
        Advertising(
            beacon: IBeacon(identity: Advertisements.identity(minor), measuredPower: -59),
            formats: formats,
            interval: AdvertisingInterval(milliseconds: milliseconds) ?? .usual,
            txPowerDbm: txPowerDbm)
    }
}

extension [Controller.Action] {
    /// The commands among them.
    var commands: [HCICommand] {
        compactMap { if case .send(let command) = $0 { command } else { nil } }
    }

    /// The starts and stops of the scan among them.
    var scanChanges: [Controller.Notice] {
        compactMap {
            guard case .notify(let notice) = $0 else { return nil }
            return notice == .scanStarted || notice == .scanStopped ? notice : nil
        }
    }
}

extension Controller.Action {
    static let scanStarted = Self.notify(.scanStarted)
    static let scanStopped = Self.notify(.scanStopped)
    static let advertisingChanged = Self.notify(.advertisingChanged)
    static let probeAnswered = Self.notify(.probeAnswered)
    static let probeTimedOut = Self.notify(.probeTimedOut)

    static func advertised(_ outcome: AdvertisingOutcome) -> Self { .notify(.advertised(outcome)) }
}

extension [Controller.Notice] {
    /// The notices about advertising among them.
    var outcomes: [Controller.Notice] {
        filter {
            switch $0 {
            case .advertised, .advertisingChanged: true
            case .scanStarted, .scanStopped, .scanDisallowed, .probeAnswered, .probeTimedOut: false
            }
        }
    }
}
