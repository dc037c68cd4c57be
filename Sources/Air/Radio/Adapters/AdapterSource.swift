import Beacons
import HCI
import Posix
import Primitives

/// Opens an adapter again and again. If its index changes, its address identifies it.
package final class AdapterSource {
    /// Called with the new index after each change.
    package typealias Moved = (_ device: UInt16) -> Void

    private let isExclusive: Bool
    private let timing: ScanTiming
    private let randomAddress: DeviceAddress
    private let moved: Moved
    private var memory: AdapterMemory

    package init(
        device: UInt16, exclusive: Bool, timing: ScanTiming = .continuous,
        randomAddress: DeviceAddress, moved: @escaping Moved
    ) {
        isExclusive = exclusive
        self.timing = timing
        self.randomAddress = randomAddress
        self.moved = moved
        memory = AdapterMemory(device: device)
    }

    /// Finds and opens the adapter.
    package func open(_ advertising: DesiredAdvertising, at now: Instant) throws(RadioFailure)
        -> LiveRadio
    {
        let before = memory.device
        let expected = source
        // An empty list is no error here: opening the adapter reports the cause.
        guard let device = memory.find(among: Self.adapters(), at: now) else {
            throw RadioFailure(
                .noSuchAdapter, expected,
                "hci\(before) is another adapter now, and the configured one is gone: plug it in again"
            )
        }
        if device != before { moved(device) }
        let radio = try LiveRadio(
            source, timing: timing, advertising: advertising, randomAddress: randomAddress, at: now)
        memory.learn(Self.adapters())
        return radio
    }

    /// Starts to bring the adapter down and up; `nil` for an exclusive one, which a reset serves.
    package func powerCycle() -> (any PowerCycle)? {
        isExclusive ? nil : AdapterPowerCycle(device: memory.device, switchesOff: true)
    }

    /// Starts to bring the adapter up; `nil` for an exclusive one, which must be down.
    package func powerOn() -> (any PowerCycle)? {
        isExclusive ? nil : AdapterPowerCycle(device: memory.device, switchesOff: false)
    }

    private var source: ControllerSource {
        isExclusive ? .user(device: memory.device) : .raw(device: memory.device)
    }

    private static func adapters() -> [AdapterMemory.Adapter] {
        do throws(Errno) {
            let socket = try HCISocket(device: nil, channel: .raw)
            var adapters: [AdapterMemory.Adapter] = []
            for device in try socket.devices {
                // The adapter was removed after the kernel listed it.
                do throws(Errno) {
                    let address = try socket.address(of: device)
                    adapters.append(AdapterMemory.Adapter(device: device, address: address))
                } catch { continue }
            }
            return adapters
        } catch {
            return []
        }
    }
}

/// The kernel's view of an adapter. Reading it does not change the adapter.
package struct AdapterState: Equatable, Sendable {
    package var isUp: Bool
    /// `false` if the kernel knows no address: the controller's firmware is probably missing.
    package var hasAddress: Bool
    /// Whether another program has exclusive access through the user channel.
    package var isTaken: Bool

    package init(isUp: Bool, hasAddress: Bool = true, isTaken: Bool = false) {
        self.isUp = isUp
        self.hasAddress = hasAddress
        self.isTaken = isTaken
    }

    /// - Parameter exclusive: the intended use of the adapter, for the text of a failure.
    package init(device: UInt16, exclusive: Bool) throws(RadioFailure) {
        do throws(Errno) {
            let socket = try HCISocket(device: nil, channel: .raw)
            self.init(
                isUp: try socket.isUp(device), hasAddress: try socket.address(of: device) != nil)
        } catch {
            throw RadioFailure.system(
                error, exclusive ? .user(device: device) : .raw(device: device))
        }
        // A missing permission is another check's result.
        let bound = try? HCISocket(device: device, channel: .raw)
        isTaken = bound?.isTaken ?? false
    }
}
