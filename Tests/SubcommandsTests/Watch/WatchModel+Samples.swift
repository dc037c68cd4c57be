import Contract
import MessageSamples
import Primitives
import Subscriber

@testable import Subcommands

extension WatchModel {
    /// Takes a batch of the gateway at the entry when its window has just ended.
    @discardableResult
    mutating func hear(_ batch: SightingsMessage, of gateway: GatewayName = Samples.entry)
        -> [GatewayChange]
    {
        let second = (batch.windowStart - Samples.start).wholeSeconds
        return on(
            batch, of: gateway, at: Samples.at(Double(second + 1)), wall: Samples.wall(second))
    }

    @discardableResult
    mutating func hear(
        _ status: StatusMessage, of gateway: GatewayName = Samples.entry, at second: Double = 0
    ) -> [GatewayChange] {
        on(status, of: gateway, at: Samples.at(second))
    }
}
