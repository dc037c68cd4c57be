import Posix
import Radio
import Testing

@testable import Diagnosis
@testable import Subcommands

@Suite("checks of an adapter")
struct AdapterChecksTests {
    /// A shared adapter that is well; `change` makes it what a test is about.
    private static func adapter(
        _ change: (inout Check.Adapter) -> Void = { _ in }
    ) -> Check.Adapter {
        var adapter = Check.Adapter(
            name: "hci0", isExclusive: false, state: .success(AdapterState(isUp: true)),
            privileges: .netRaw)
        change(&adapter)
        return adapter
    }

    /// The same for an agent that wants it for itself.
    private static func own(
        _ change: (inout Check.Adapter) -> Void = { _ in }
    ) -> Check.Adapter {
        adapter {
            $0.isExclusive = true
            $0.state = .success(AdapterState(isUp: false, hasAddress: false))
            $0.privileges = .netAdmin
            change(&$0)
        }
    }

    private static let agent = RunningAgent(process: 7, privileges: [.netRaw, .netAdmin])

    @Test("a working adapter passes every check", arguments: [adapter(), own()])
    func well(adapter: Check.Adapter) {
        let checks = Check.adapter(adapter)
        #expect(checks.map(\.name) == ["adapter", "rfkill", "power", "owner", "permission"])
        #expect(checks.allSatisfy { $0.outcome == .ok }, "\(checks)")
    }

    private static let flawed: [(Check.Adapter, String, String)] = [
        (
            adapter { $0.state = .failure(.system(.noSuchDevice, .raw(device: 0))) }, "adapter",
            "plug it in"
        ),
        (
            adapter { $0.state = .success(AdapterState(isUp: true, hasAddress: false)) }, "adapter",
            "firmware"
        ),
        (
            adapter {
                $0.blocks = [RadioBlock(isSoft: true, isHard: false)]
                $0.state = .success(AdapterState(isUp: false))
            }, "rfkill", "rfkill unblock"
        ),
        (
            adapter { $0.blocks = [RadioBlock(isSoft: false, isHard: true)] }, "rfkill",
            "hardware switch"
        ),
        (
            adapter {
                $0.state = .success(AdapterState(isUp: false))
                $0.powersOn = false
            }, "power", "hciconfig hci0 up"
        ),
        (
            adapter {
                $0.state = .success(AdapterState(isUp: false))
                $0.agent = RunningAgent(process: 7, privileges: .netRaw)
            }, "power", "CAP_NET_ADMIN"
        ),
        (own { $0.state = .success(AdapterState(isUp: true)) }, "power", "hciconfig hci0 down"),
        (
            own {
                $0.state = .success(AdapterState(isUp: true))
                $0.isBluetoothdRunning = true
            }, "power", "disable --now bluetooth"
        ),
        (
            adapter { $0.state = .success(AdapterState(isUp: true, isTaken: true)) }, "owner",
            "another program"
        ),
        (
            adapter { $0.agent = RunningAgent(process: 7, privileges: .netAdmin) }, "permission",
            "lacks CAP_NET_RAW"
        ),
    ]

    @Test("a fault has one failed check", arguments: flawed)
    func names(_ adapter: Check.Adapter, name: String, words: String) {
        let faults = Check.adapter(adapter).filter { $0.outcome != .ok }
        #expect(faults.map(\.name) == [name])
        #expect(faults.first?.outcome == .wrong)
        #expect(faults.first?.message.contains(words) == true, "\(faults)")
    }

    private static let doubtful: [(Check.Adapter, String, String)] = [
        (
            adapter { $0.state = .success(AdapterState(isUp: false)) }, "power",
            "the agent switches it on"
        ),
        (own { $0.isBluetoothdRunning = true }, "owner", "before the agent does"),
        (adapter { $0.privileges = [] }, "permission", "sudo sightline doctor"),
        (
            adapter {
                $0.privileges = []
                $0.programPrivileges = .netRaw
            }, "permission", "the agent's program has CAP_NET_RAW"
        ),
        (
            adapter { $0.agent = RunningAgent(process: 7, privileges: .netRaw) }, "permission",
            "lacks CAP_NET_ADMIN"
        ),
    ]

    @Test("a fault that does not stop the agent is a warning", arguments: doubtful)
    func warns(_ adapter: Check.Adapter, name: String, words: String) {
        let faults = Check.adapter(adapter).filter { $0.outcome != .ok }
        #expect(faults.map(\.name) == [name])
        #expect(faults.first?.outcome == .warning)
        #expect(faults.first?.message.contains(words) == true, "\(faults)")
    }

    @Test(
        "an adapter of the running agent is correct; bluetoothd may share an adapter"
    )
    func harmless() {
        let taken = Self.own {
            $0.agent = Self.agent
            $0.state = .success(AdapterState(isUp: true, isTaken: true))
        }
        let beside = Self.adapter { $0.isBluetoothdRunning = true }
        for adapter in [taken, beside] {
            #expect(Check.adapter(adapter).allSatisfy { $0.outcome == .ok })
        }
    }
}
