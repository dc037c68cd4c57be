import Posix
import Radio

/// Judgements on an adapter, before it is listened to.
extension Check {
    /// All that there is to know of an adapter from beside it.
    struct Adapter: Equatable {
        /// `hci0`.
        var name: String
        /// Whether the agent wants it for itself.
        var isExclusive: Bool
        /// What the kernel says of it, or why it can't be asked.
        var state: Result<AdapterState, RadioFailure>
        var blocks: [RadioBlock] = []
        var isBluetoothdRunning = false
        var agent: RunningAgent?
        /// This process's.
        var privileges: Privileges = []
        /// Those that the agent's program gives.
        var programPrivileges: Privileges = []
    }

    /// In this order, and no further than the first that is wrong.
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
        // Down, or in somebody's hands: who that is, is the cause.
        checks +=
            power.outcome == .wrong ? [power] : [power, owner(adapter, state), permission(adapter)]
        return checks
    }

    private static func presence(_ adapter: Adapter, _ state: AdapterState) -> Check {
        // The kernel learns it when the adapter comes up.
        guard state.hasAddress || !state.isUp else {
            return Check(
                "adapter", .wrong,
                "\(adapter.name) has no address: install its firmware (package firmware-brcm80211 or bluez-firmware)"
            )
        }
        return Check("adapter", .ok, "\(adapter.name) is there")
    }

    private static func block(_ adapter: Adapter) -> Check {
        if adapter.blocks.contains(where: \.isHard) {
            return Check(
                "rfkill", .wrong,
                "\(adapter.name) is switched off by a switch or the firmware: switch it on there")
        }
        if adapter.blocks.contains(where: \.isSoft) {
            return Check(
                "rfkill", .wrong, "\(adapter.name) is switched off: run 'rfkill unblock bluetooth'")
        }
        return Check("rfkill", .ok, "\(adapter.name) is not blocked")
    }

    private static func power(_ adapter: Adapter, _ state: AdapterState) -> Check {
        let name = adapter.name
        switch (adapter.isExclusive, state.isUp) {
        case (true, _) where adapter.agent != nil:
            return Check("power", .ok, "\(name) is the running agent's own")
        case (true, true) where adapter.isBluetoothdRunning:
            return Check(
                "power", .wrong,
                "\(name) is up, and \(name):user wants it down: run 'systemctl disable --now bluetooth' and 'hciconfig \(name) down', or make radio.source \(name)"
            )
        case (true, true):
            return Check(
                "power", .wrong,
                "\(name) is up, and \(name):user wants it down: run 'hciconfig \(name) down', or make radio.source \(name)"
            )
        case (true, false): return Check("power", .ok, "\(name) is down, as \(name):user wants it")
        case (false, true): return Check("power", .ok, "\(name) is up")
        case (false, false):
            return Check("power", .wrong, "\(name) is down: run 'hciconfig \(name) up'")
        }
    }

    private static func owner(_ adapter: Adapter, _ state: AdapterState) -> Check {
        let name = adapter.name
        if state.isTaken, adapter.agent == nil || !adapter.isExclusive {
            return Check(
                "owner", .wrong,
                "\(name) is in use: another program has it to itself; stop that, or choose another adapter"
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
            : Check("owner", .ok, "bluetoothd is running, which does no harm to a shared adapter")
    }

    private static func permission(_ adapter: Adapter) -> Check {
        let needed: Privileges = adapter.isExclusive ? .netAdmin : .netRaw
        let word = adapter.isExclusive ? "CAP_NET_ADMIN" : "CAP_NET_RAW"
        if let privileges = adapter.agent?.privileges {
            guard privileges.contains(needed) else {
                return Check(
                    "permission", .wrong,
                    "the running agent lacks \(word): grant it in the service with AmbientCapabilities, and restart it"
                )
            }
            return privileges.contains(.netAdmin)
                ? Check("permission", .ok, "the running agent has \(word)")
                : Check(
                    "permission", .warning,
                    "the running agent lacks CAP_NET_ADMIN, without which an adapter that hangs is not brought down and up: grant it in the service"
                )
        }
        if adapter.privileges.contains(needed) {
            return Check("permission", .ok, "this process has \(word)")
        }
        let program =
            adapter.programPrivileges.contains(needed)
            ? "the agent's program has \(word), this" : "this"
        return Check(
            "permission", .warning,
            "\(program) process has no \(word): run 'sudo sightline doctor' to have the radio listened to"
        )
    }
}
