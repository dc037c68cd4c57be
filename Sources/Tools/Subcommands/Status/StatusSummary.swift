import Primitives
import Subscriber
import Terminal

/// The last line: how many gateways are in each state.
struct StatusSummary {
    let line: StyledLine

    init(_ snapshots: [GatewaySnapshot]) {
        var line = StyledLine(count(snapshots.count, "gateway"))
        var separator = ": "
        for condition in GatewayCondition.allCases {
            let number = snapshots.count { $0.condition == condition }
            guard number > 0 else { continue }
            line.append(separator)
            line.append("\(number.grouped) \(condition.rawValue)", condition.style)
            separator = ", "
        }
        self.line = line
    }
}
