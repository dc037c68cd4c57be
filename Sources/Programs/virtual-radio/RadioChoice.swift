import CommandLine
import Posix
import VirtualRadio

/// What the command line asks for at one gateway.
struct RadioChoice {
    let gateway: String
    let place: RadioService.Place
    let configuration: SimulatedController.Configuration
    let faults: [Misbehaviour]

    /// The choices for all gateways, in their order.
    static func all(_ invocation: Invocation) throws(UsageError) -> [RadioChoice] {
        let gateways = invocation.all("gateway")
        guard !gateways.isEmpty else {
            throw UsageError("--gateway ID is required, or --captures FOLDER, or --truth FILE")
        }
        for (index, gateway) in gateways.enumerated() where gateways[..<index].contains(gateway) {
            throw UsageError("--gateway \(gateway) is given twice")
        }
        let places = try places(invocation, of: gateways.count)
        let kinds = try perGateway("family", invocation, of: gateways.count, isSharable: true)
        let addresses = try perGateway("address", invocation, of: gateways.count)
        var faults = [[Misbehaviour]](repeating: [], count: gateways.count)
        for text in invocation.all("fault") {
            let (place, fault) = try Self.fault(text, gateways)
            for index in faults.indices where place == nil || place == index {
                faults[index].append(fault)
            }
        }
        var all: [RadioChoice] = []
        for (index, gateway) in gateways.enumerated() {
            var configuration = try configuration(ofKind: kinds?[index] ?? "legacy", gateway)
            if let text = addresses?[index] { configuration.address = try address(text) }
            configuration.canScanWhileAdvertising = !invocation.has("no-scan-while-advertising")
            all.append(
                RadioChoice(
                    gateway: gateway, place: places[index], configuration: configuration,
                    faults: faults[index]))
        }
        return all
    }

    /// The option's values, one for each gateway; `nil` when there are none.
    ///
    /// - Parameter isSharable: whether one value will do for all.
    private static func perGateway(
        _ option: String, _ invocation: Invocation, of count: Int, isSharable: Bool = false
    ) throws(UsageError) -> [String]? {
        let values = invocation.all(option)
        if values.isEmpty { return nil }
        if isSharable, values.count == 1 { return Array(repeating: values[0], count: count) }
        guard values.count == count else {
            let times = values.count == 1 ? "once" : "\(values.count) times"
            let gateways = count == 1 ? "1 gateway" : "\(count) gateways"
            let wanted = isSharable ? "once for all or once for each" : "once for each"
            throw UsageError(
                "--\(option) is given \(times) for \(gateways); expected it \(wanted)")
        }
        return values
    }

    private static func places(
        _ invocation: Invocation, of count: Int
    ) throws(UsageError) -> [RadioService.Place] {
        let listen = try perGateway("listen", invocation, of: count)
        let vhci = try perGateway("vhci", invocation, of: count, isSharable: true)
        switch (listen, vhci) {
        case (nil, let paths?): return paths.map { .vhci(path: $0) }
        case (let texts?, nil):
            var places: [RadioService.Place] = []
            for text in texts {
                guard let address = socketAddress(text) else {
                    throw UsageError("--listen must be unix:PATH or tcp:HOST:PORT, not “\(text)”")
                }
                places.append(.socket(address))
            }
            return places
        default: throw UsageError("either --listen ADDRESS or --vhci PATH is required")
        }
    }

    private static func configuration(
        ofKind name: String, _ gateway: String
    ) throws(UsageError) -> SimulatedController.Configuration {
        let address = SimulatedController.Configuration.address(of: gateway)
        switch name {
        case "extended": return .init(family: .extended, address: address)
        case "legacy": return .init(family: .legacy, address: address)
        case "legacy-4.0", "legacy-4.2":
            var configuration = SimulatedController.Configuration(family: .legacy, address: address)
            configuration.version = name == "legacy-4.0" ? .bluetooth40 : .bluetooth42
            return configuration
        default:
            throw UsageError(
                "--family must be legacy, extended, legacy-4.2 or legacy-4.0, not “\(name)”")
        }
    }

    /// A fault, and the index of the gateway that it is for; `nil` for all of them.
    private static func fault(
        _ text: String, _ gateways: [String]
    ) throws(UsageError) -> (place: Int?, fault: Misbehaviour) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard let last = parts.last, let fault = Misbehaviour(String(last)) else {
            throw UsageError(
                "--fault must be [ID=]AT:KIND[:ARGUMENT], such as 10:stall:5, not “\(text)”")
        }
        guard parts.count == 2 else { return (nil, fault) }
        guard let place = gateways.firstIndex(of: String(parts[0])) else {
            throw UsageError("--fault \(text) is for a --gateway that is not given")
        }
        return (place, fault)
    }

    private static func socketAddress(_ text: String) -> Sockets.Address? {
        if text.hasPrefix("unix:"), text.utf8.count > 5 {
            return .unix(path: String(text.dropFirst(5)))
        }
        guard text.hasPrefix("tcp:"), let colon = text.lastIndex(of: ":"),
            let port = UInt16(text[text.index(after: colon)...])
        else { return nil }
        let host = text[..<colon].dropFirst(4)
        return host.isEmpty ? nil : .tcp(host: String(host), port: port)
    }

    private static func address(_ text: String) throws(UsageError) -> UInt64 {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        let bytes = parts.compactMap { $0.utf8.count == 2 ? UInt8($0, radix: 16) : nil }
        guard parts.count == 6, bytes.count == 6 else {
            throw UsageError(
                "--address must be six bytes, such as 02:00:00:00:00:01, not “\(text)”")
        }
        return bytes.reduce(0) { $0 << 8 | UInt64($1) }
    }
}
