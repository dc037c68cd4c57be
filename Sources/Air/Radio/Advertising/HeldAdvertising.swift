import Beacons
import HCI
import Primitives

/// The advertising sets that the controller holds for the gateway.
///
/// A controller answers in the order in which it executes commands. A success therefore proves the new state, whatever
/// other programs did before.
struct HeldAdvertising: Equatable {
    private var sets: [HeldSet]

    /// - Parameter family: with legacy commands, there is one set.
    /// - Parameter isExclusive: whether nobody can have left further sets on the air.
    init(_ family: CommandFamily, isExclusive: Bool) {
        let further = HeldSet(isEnabled: isExclusive ? false : nil)
        let count = family == .legacy ? 0 : BeaconIdentity.Format.allCases.count - 1
        sets = [HeldSet()] + [HeldSet](repeating: further, count: count)
    }

    /// Before the family is known.
    init() { sets = [HeldSet()] }

    /// Every step to the advertising, or to none, in the order that controllers accept.
    func allSteps(
        to advertising: Advertising?, _ capabilities: Capabilities
    ) -> [AdvertisingStep] {
        let wanted = advertising?.sets(capabilities.family) ?? []
        let surplus = sets.indices.filter { index in
            let isNeeded = sets[index].isEnabled == nil || index == 0 && wanted.isEmpty
            let isOff = sets[index].isEnabled != true && !sets[index].mayBeOurs && !isNeeded
            return !isOff && !wanted.contains { $0.index == index }
        }
        let address = capabilities.family == .extended ? capabilities.randomAddress : nil
        return surplus.reversed().map { AdvertisingStep(set: $0, .disable) }
            + wanted.flatMap { set in
                let actions: [AdvertisingStep.Action] =
                    [.disable] + (advertising.map { [.parameters($0)] } ?? [])
                    + (address.map { [.address($0)] } ?? []) + [.data(set.first), .enable]
                return actions.map { AdvertisingStep(set: set.index, $0) }
            }
    }

    /// The steps without those whose effect the controller holds already.
    func missingSteps(
        to advertising: Advertising, _ capabilities: Capabilities
    ) -> [AdvertisingStep] {
        let onAir = advertising.sets(capabilities.family)
            .filter { sets[$0.index].isOnAir($0, of: advertising) }.map(\.index)
        return allSteps(to: advertising, capabilities).filter { step in
            !onAir.contains(step.set) && !sets[step.set].holds(step.action)
        }
    }

    /// The steps to other frames of the advertising, as far as they are not on the air yet.
    func steps(
        to frame: (AdvertisedSet) -> AdvertisedFrame, of advertising: Advertising,
        _ capabilities: Capabilities
    ) -> [AdvertisingStep] {
        advertising.sets(capabilities.family).compactMap { set in
            let frame = frame(set)
            return sets[set.index].frame == frame
                ? nil : AdvertisingStep(set: set.index, .data(frame))
        }
    }

    /// Whether all sets of the advertising are on the air, and no other one.
    func isOnAir(_ advertising: Advertising, _ family: CommandFamily) -> Bool {
        let wanted = advertising.sets(family)
        return sets.indices.allSatisfy { index in
            guard let set = wanted.first(where: { $0.index == index }) else {
                return sets[index].isEnabled != true && !sets[index].mayBeOurs
            }
            return sets[index].isOnAir(set, of: advertising)
        }
    }

    func isEnabled(_ set: Int) -> Bool? { sets[set].isEnabled }

    /// Whether all sets are off.
    var isOff: Bool {
        sets[0].isEnabled == false
            && sets.allSatisfy { $0.isEnabled != true && !$0.mayBeOurs }
    }

    /// Whether a set is on.
    var isOn: Bool { sets.contains { $0.isEnabled == true } }

    /// The steps that end the gateway's advertising, as far as there may be some.
    var stop: [AdvertisingStep] {
        sets.indices.reversed().filter { sets[$0].mayBeOurs }
            .map { AdvertisingStep(set: $0, .disable) }
    }

    /// The power that the controller chose, in dBm.
    func txPowerDbm(of advertising: Advertising, _ family: CommandFamily) -> Int8? {
        advertising.sets(family).first.flatMap { sets[$0.index].selectedTxPowerDbm }
    }

    mutating func sent(_ step: AdvertisingStep) { sets[step.set].sent(step.action) }

    /// - Parameter txPowerDbm: the power that the controller chose, in dBm.
    mutating func accepted(_ step: AdvertisingStep, txPowerDbm: Int8?) {
        sets[step.set].accepted(step.action, txPowerDbm: txPowerDbm)
    }

    /// - Returns: whether the refusal proves that the step's effect holds already.
    mutating func refused(_ step: AdvertisingStep, _ status: HCIStatus) -> Bool {
        sets[step.set].refused(step.action, status)
    }

    /// Another program's command has succeeded.
    ///
    /// - Returns: whether it may have changed the gateway's advertising. The opcode does not name the advertising set.
    mutating func otherProgramSent(_ opcode: Opcode, _ family: CommandFamily) -> Bool {
        var mayHaveChanged = false
        for index in sets.indices where index == 0 || !sets[index].isUnused {
            mayHaveChanged = sets[index].otherProgramSent(opcode, family) || mayHaveChanged
        }
        return mayHaveChanged
    }

    /// Marks the whole state as unknown.
    mutating func forget() {
        for index in sets.indices where index == 0 || !sets[index].isUnused { sets[index].forget() }
    }
}
