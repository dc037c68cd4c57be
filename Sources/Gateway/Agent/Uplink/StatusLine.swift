/// The gateway's state in one line, as `systemctl status` shows it.
struct StatusLine: Equatable, Sendable {
    enum Radio: Equatable, Sendable {
        case opening
        case hearing
        /// With the reason, if known.
        case deaf(String?)
    }

    enum Broker: Equatable, Sendable {
        case connected(String)
        /// No connection yet, to the preferred broker or to any of several.
        case waiting(for: String, of: Int)
    }

    var radio: Radio
    var broker: Broker
    /// Batches that wait longer than a connected broker needs to acknowledge them.
    var waiting: Int
    /// Whether waiting batches survive the end of the process.
    var isDurable = true

    /// Whether the two differ in more than the number of waiting batches.
    func differsInState(from other: StatusLine) -> Bool {
        radio != other.radio || broker != other.broker || isDurable != other.isDurable
    }
}

extension StatusLine: CustomStringConvertible {
    var description: String {
        [radioText, brokerText, outboxText].compactMap(\.self).joined(separator: "; ")
    }

    private var radioText: String {
        switch radio {
        case .opening: "opening the radio"
        case .hearing: "hearing"
        case .deaf(nil): "deaf"
        case .deaf(let reason?): "deaf (\(reason))"
        }
    }

    private var brokerText: String {
        switch broker {
        case .connected(let address): "connected to \(address)"
        case .waiting(let address, 1): "waiting for \(address)"
        case .waiting(_, let count): "waiting for any of \(count) brokers"
        }
    }

    private var outboxText: String? {
        guard waiting > 0 else { return nil }
        let amount = waiting == 1 ? "1 batch waits" : "\(waiting) batches wait"
        return isDurable ? amount : amount + ", in memory only"
    }
}
