import Posix
import Primitives

/// An adapter as a source that is opened again and again: it is found by its address where its index has changed, and
/// can be brought down and up.
package final class AdapterSource {
    /// Told once for each move: the index now.
    package typealias Moved = (_ device: UInt16) -> Void

    private let isExclusive: Bool
    private let moved: Moved
    private var memory: AdapterMemory

    package init(device: UInt16, exclusive: Bool, moved: @escaping Moved) {
        isExclusive = exclusive
        self.moved = moved
        memory = AdapterMemory(device: device)
    }

    /// Opens it wherever it is now.
    package func open(_ wish: DesiredAdvertising, at now: Instant) throws(RadioFailure) -> LiveRadio
    {
        let before = memory.device
        let expected = source
        // Where the adapters can't be listed, opening the one says why.
        guard let device = memory.find(among: Self.adapters(), at: now) else {
            throw RadioFailure(
                .noSuchAdapter, expected,
                "hci\(before) is another adapter now, and the one before is gone: plug it in again")
        }
        if device != before { moved(device) }
        let radio = try LiveRadio(source, advertising: wish, at: now)
        memory.learn(Self.adapters())
        return radio
    }

    /// What brings it down and up; `nil` for a controller that is ours alone, which is reset instead.
    package func powerCycle() -> (any PowerCycle)? {
        isExclusive ? nil : AdapterPowerCycle(device: memory.device)
    }

    private var source: ControllerSource {
        isExclusive ? .user(device: memory.device) : .raw(device: memory.device)
    }

    private static func adapters() -> [AdapterMemory.Adapter] {
        do throws(Errno) {
            let socket = try HCISocket(device: nil, channel: .raw)
            var adapters: [AdapterMemory.Adapter] = []
            for device in try socket.devices {
                // One that goes while it is asked is not there.
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
