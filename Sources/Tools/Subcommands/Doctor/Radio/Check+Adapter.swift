import Diagnosis
import Posix
import Radio

/// Checks of an adapter before the scan.
extension Check {
    /// The state of an adapter and of the programs that use it.
    struct Adapter: Equatable {
        /// `hci0`.
        var name: String
        /// The agent uses the user channel.
        var isExclusive: Bool
        /// The kernel's state, or the reason why it can't be read.
        var state: Result<AdapterState, RadioFailure>
        var blocks: [RadioBlock] = []
        /// The agent switches a shared adapter on that is down: `radio.powerOn`.
        var powersOn = true
        var isBluetoothdRunning = false
        var agent: RunningAgent?
        /// The capabilities of this process.
        var privileges: Privileges = []
        /// The file capabilities of the agent's program.
        var programPrivileges: Privileges = []
    }

    /// The checks in order, up to the first failure.
    static func adapter(_ adapter: Adapter) -> [Check] {
        let state: AdapterState
        switch adapter.state {
        case .success(let found): state = found
        case .failure(let failure): return [Check("adapter", .wrong, failure.sentence)]
        }
        var checks = [presence(adapter, state), block(adapter)]
        if checks.contains(where: { $0.outcome == .wrong }) {
            return checks.filter { $0.outcome == .wrong }
        }
        let power = power(adapter, state)
        // The owner of the adapter can be the cause of a failure.
        checks +=
            power.outcome == .wrong ? [power] : [power, owner(adapter, state), permission(adapter)]
        return checks
    }

    private static func presence(_ adapter: Adapter, _ state: AdapterState) -> Check {
        // The kernel reads the address when the adapter comes up.
        guard state.hasAddress || !state.isUp else {
            return Check(
                "adapter", .wrong,
                "\(adapter.name) has no address: install its firmware (package firmware-brcm80211 or bluez-firmware)"
            )
        }
        return Check("adapter", .ok, "\(adapter.name) exists")
    }

    private static func block(_ adapter: Adapter) -> Check {
        if adapter.blocks.contains(where: \.isHard) {
            return Check(
                "rfkill", .wrong,
                "\(adapter.name) is blocked by a hardware switch or the firmware: switch it on")
        }
        if adapter.blocks.contains(where: \.isSoft) {
            return Check(
                "rfkill", .wrong, "\(adapter.name) is blocked: run 'rfkill unblock bluetooth'")
        }
        return Check("rfkill", .ok, "\(adapter.name) is not blocked")
    }

    private static func power(_ adapter: Adapter, _ state: AdapterState) -> Check {
        let name = adapter.name
        switch (adapter.isExclusive, state.isUp) {
        case (true, _) where adapter.agent != nil:
            return Check("power", .ok, "the running agent uses \(name)")
        case (true, true) where adapter.isBluetoothdRunning:
            return Check(
                "power", .wrong,
                "\(name) is up, but \(name):user needs it down: run 'systemctl disable --now bluetooth' and 'hciconfig \(name) down', or set radio.source to \(name)"
            )
        case (true, true):
            return Check(
                "power", .wrong,
                "\(name) is up, but \(name):user needs it down: run 'hciconfig \(name) down', or set radio.source to \(name)"
            )
        case (true, false): return Check("power", .ok, "\(name) is down, as \(name):user needs it")
        case (false, true): return Check("power", .ok, "\(name) is up")
        case (false, false) where !adapter.powersOn:
            return Check(
                "power", .wrong,
                "\(name) is down, and radio.powerOn is false: run 'hciconfig \(name) up'")
        case (false, false):
            if let privileges = adapter.agent?.privileges, !privileges.contains(.netAdmin) {
                return Check(
                    "power", .wrong,
                    "\(name) is down, and the running agent lacks CAP_NET_ADMIN to switch it on: grant it in the service, or run 'hciconfig \(name) up'"
                )
            }
            return Check(
                "power", .warning,
                "\(name) is down: the agent switches it on, which needs CAP_NET_ADMIN")
        }
    }

    private static func owner(_ adapter: Adapter, _ state: AdapterState) -> Check {
        let name = adapter.name
        if state.isTaken, adapter.agent == nil || !adapter.isExclusive {
            return Check(
                "owner", .wrong,
                "\(name) is in exclusive use by another program: stop it, or use another adapter"
            )
        }
        guard adapter.isBluetoothdRunning else {
            return Check("owner", .ok, "bluetoothd is not running")
        }
        return adapter.isExclusive
            ? Check(
                "owner", .warning,
                "bluetoothd is running and may take \(name) before the agent does: run 'systemctl disable --now bluetooth'"
            )
            : Check("owner", .ok, "bluetoothd is running and shares the adapter")
    }

    private static func permission(_ adapter: Adapter) -> Check {
        let needed: Privileges = adapter.isExclusive ? .netAdmin : .netRaw
        let capability = adapter.isExclusive ? "CAP_NET_ADMIN" : "CAP_NET_RAW"
        if let privileges = adapter.agent?.privileges {
            guard privileges.contains(needed) else {
                return Check(
                    "permission", .wrong,
                    "the running agent lacks \(capability): grant it in the service with AmbientCapabilities, and restart it"
                )
            }
            return privileges.contains(.netAdmin)
                ? Check("permission", .ok, "the running agent has \(capability)")
                : Check(
                    "permission", .warning,
                    "the running agent lacks CAP_NET_ADMIN and can't restart an adapter that hangs: grant it in the service"
                )
        }
        if adapter.privileges.contains(needed) {
            return Check("permission", .ok, "this process has \(capability)")
        }
        let program =
            adapter.programPrivileges.contains(needed)
            ? "the agent's program has \(capability), but this" : "this"
        return Check(
            "permission", .warning,
            "\(program) process lacks \(capability): run 'sudo sightline doctor' to check the radio"
        )
    }
}

/// A switch that disables a Bluetooth adapter (rfkill(8)).
struct RadioBlock: Equatable {
    /// Blocked by software: `rfkill unblock` removes the block.
    var isSoft: Bool
    /// Blocked by a hardware switch or the firmware.
    var isHard: Bool

    /// The switches of an adapter, and those of all Bluetooth adapters.
    ///
    /// - Parameter folder: the list of the kernel.
    static func all(of adapter: String, in folder: String = "/sys/class/rfkill") -> [RadioBlock] {
        Folder.names(in: folder).compactMap { name in
            let place = "\(folder)/\(name)/"
            guard word(place + "type") == "bluetooth" else { return nil }
            let owner = word(place + "name") ?? ""
            guard owner == adapter || !owner.hasPrefix("hci") else { return nil }
            return RadioBlock(
                isSoft: word(place + "soft") == "1", isHard: word(place + "hard") == "1")
        }
    }

    private static func word(_ path: String) -> String? {
        guard let bytes = try? File.contents(of: path, maxBytes: 100) else { return nil }
        return String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
    }
}
