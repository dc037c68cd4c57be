import Beacons
import HCI
import Primitives

@testable import Radio
@testable import VirtualRadio

/// Our dialogue and a strict simulated controller on one bench, with a hand between them that refuses commands.
final class Bench {
    private(set) var controller: Controller
    private(set) var radio: SimulatedController
    private(set) var now = Instant(microseconds: 10_000_000)
    /// Commands of ours, in their order.
    var sent: [HCICommand] = []
    var notices: [Controller.Notice] = []
    /// The status to refuse a command of ours with.
    var refuse: (HCICommand) -> HCIStatus? = { _ in nil }
    /// The machine's, in 1/256 °C.
    var temperature: Int16?
    private var underWay: [HCICommand] = []

    /// The address that stands for a public one.
    static let randomAddress = DeviceAddress(randomStaticOf: "shop/entry")

    /// - Parameters:
    ///   - leftover: what a run before us, which was killed, has left on the air.
    ///   - address: the public one; 0 for a controller that has none.
    init(
        _ family: CommandFamily, isExclusive: Bool = true,
        _ desired: DesiredAdvertising = .untouched,
        simultaneous: Bool = true, leftover: Advertising? = nil,
        address: UInt64 = 0x0200_0000_0001
    ) {
        var configuration = SimulatedController.Configuration(
            family: family, address: address)
        configuration.canScanWhileAdvertising = simultaneous
        radio = SimulatedController(configuration)
        controller = Controller(
            isExclusive: isExclusive, advertising: desired, randomAddress: Self.randomAddress)
        if !isExclusive {
            // As the kernel does.
            for command in [.reset, .setEventMask, .leSetEventMask] as [HCICommand] { raw(command) }
        }
        if let leftover {
            for command in ControllerDialogue.advertise(leftover, family) { raw(command) }
        }
    }

    /// Opened, and everything answered.
    static func settled(
        _ family: CommandFamily, isExclusive: Bool = true,
        _ desired: DesiredAdvertising = .untouched
    ) throws -> Bench {
        let bench = Bench(family, isExclusive: isExclusive, desired)
        try bench.start()
        bench.forget()
        return bench
    }

    var family: CommandFamily { radio.configuration.family }
    var state: AdvertisingState { controller.advertising }

    /// All that the controller has on the air.
    var onAir: [OnAir] { radio.onAir }

    /// The command of ours that the controller has not seen yet.
    var next: HCICommand? { underWay.first }

    /// Whether exactly this is on the air, and the state agrees.
    func shows(_ advertising: Advertising?) -> Bool {
        guard let advertising else { return onAir.isEmpty && state.advertising == nil }
        let units = UInt32(advertising.interval.units)
        return onAir.count == 1 && onAir.first?.data == advertising.beacon.advertisingData
            && onAir.first?.interval == units...units && onAir.first?.properties == 0x10
            && onAir.first?.channels == 7 && state.advertising == advertising
    }

    func forget() {
        sent = []
        notices = []
    }

    func start() throws {
        take(controller.start(at: now))
        try settle()
    }

    func advertise(_ desired: DesiredAdvertising) { take(controller.advertise(desired, at: now)) }

    /// Wishes, and waits until all is answered.
    func tune(_ desired: DesiredAdvertising) throws {
        advertise(desired)
        try settle()
    }

    /// Answers all commands.
    func settle() throws {
        while try step() {}
    }

    /// Answers one command; `false` when there is none.
    func step() throws -> Bool {
        guard !underWay.isEmpty else { return false }
        let command = underWay.removeFirst()
        if let status = refuse(command) {
            let opcode = command.opcode.rawValue.littleEndianBytes
            try hear([0x04, 0x0e, 4, 1] + opcode + [status.rawValue])
        } else {
            radio.receive(command.packet, at: now)
            try hear(radio.takeOutput())
        }
        return true
    }

    /// Sends another program's command, whose answer reaches the gateway on a shared controller.
    func meddle(_ command: HCICommand) throws {
        controller.overheard(command, at: now)
        radio.receive(command.packet, at: now)
        try hear(radio.takeOutput())
    }

    /// Lets time pass, and ticks whenever that is wanted, or at least every quarter of a second.
    ///
    /// - Parameter settles: whether the controller answers meanwhile.
    func wait(_ microseconds: Int64, settles: Bool = true) throws {
        let end = now.advanced(byMicroseconds: microseconds)
        while now < end {
            let usual = now.advanced(byMicroseconds: 250_000)
            now = min(end, max(now, min(controller.deadline ?? usual, usual)))
            radio.advance(to: now)
            controller.measure(at: now) { temperature }
            take(try controller.tick(at: now))
            if settles { try settle() }
        }
    }

    /// Puts a further set on the air, as a run before has left it.
    func leave(_ advertising: Advertising, set: Int) {
        for command in ControllerDialogue.advertise(advertising, set: set, family) { raw(command) }
    }

    private func raw(_ command: HCICommand) {
        radio.receive(command.packet, at: now)
        _ = radio.takeOutput()
    }

    private func take(_ actions: [Controller.Action]) {
        for action in actions {
            switch action {
            case .send(let command):
                sent.append(command)
                underWay.append(command)
            case .notify(let notice): notices.append(notice)
            }
        }
    }

    private func hear(_ stream: [UInt8]) throws {
        var offset = 0
        while offset < stream.count {
            let start = offset
            let packet = try stream.withBytes { try H4.packet(in: $0, at: start) }
            guard let packet else { return }
            offset = packet.body.upperBound
            let now = now
            let actions = try Array(stream[packet.body]).withBytes { bytes in
                try controller.on(try Event(bytes), bytes, at: now)
            }
            take(actions)
        }
    }
}

extension SimulatedController {
    /// Whether it scans all channels for all senders, and reports every advertisement.
    var isScanComplete: Bool {
        link.scan.isEnabled && !link.scan.filtersDuplicates && link.scan.duration == .zero
            && link.scan.filterPolicy & 1 == 0 && link.scan.window == link.scan.interval
    }
}

extension Bench {
    /// A command of those that advertise, to be refused.
    enum Part: CaseIterable, Sendable {
        case disable
        case parameters
        case data
        case enable

        func opcode(_ family: CommandFamily) -> Opcode {
            command(family).opcode
        }

        func matches(_ command: HCICommand, _ family: CommandFamily) -> Bool {
            let own = self.command(family)
            guard self == .disable || self == .enable else { return command.opcode == own.opcode }
            return command == own
        }

        private func command(_ family: CommandFamily) -> HCICommand {
            let all = ControllerDialogue.advertise(.sample(0), family)
            return switch self {
            case .disable: all[0]
            case .parameters: all[1]
            case .data: all[2]
            case .enable: all[3]
            }
        }
    }

    /// Refuses the next `times` uses of a command.
    func refuse(_ part: Part, with status: HCIStatus, times: Int) {
        var left = times
        let family = family
        refuse = { command in
            guard left > 0, part.matches(command, family) else { return nil }
            left -= 1
            return status
        }
    }
}
