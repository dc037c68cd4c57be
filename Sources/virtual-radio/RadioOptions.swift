import Arguments
import HCI
import Posix
import VirtualRadio

/// What the command line asks for.
struct RadioOptions {
    let scenarioPath: String
    let gateway: String
    let family: CommandFamily
    let place: RadioService.Place
    /// The controller's public address; `nil` for one made up of the gateway's name.
    let address: UInt64?
    let faults: [Misbehaviour]
    /// How long to live, in seconds.
    let seconds: Double?
    let tallyPath: String?

    static let command = Command(
        name: "virtual-radio",
        summary:
            "a simulated Bluetooth controller in front of a small world of people with beacons",
        options: [
            Option(
                "scenario", value: "FILE", help: "the world, such as config/scenarios/queue.json",
                isRequired: true),
            Option(
                "gateway", value: "ID", help: "the scenario's gateway to listen from",
                isRequired: true),
            Option(
                "family", value: "NAME",
                help: "the newest commands that the controller has: legacy (default) or extended"),
            Option(
                "listen", value: "ADDRESS",
                help: "serve H4 on unix:PATH or tcp:HOST:PORT, one host after the other"),
            Option("vhci", value: "PATH", help: "be an adapter of the kernel's, at /dev/vhci"),
            Option(
                "address", value: "ADDRESS", help: "the public address, such as 02:00:00:00:00:01"),
            Option(
                "fault", value: "AT:KIND[:ARGUMENT]",
                help: "misbehave, AT seconds after the start: stall:SECONDS, silent[:SECONDS],"
                    + " refuse:OPCODE:STATUS[:TIMES], hardwareError[:CODE], close[:SECONDS]",
                isRepeatable: true),
            Option("seconds", value: "N", help: "end after so long"),
            Option(
                "tally", value: "FILE",
                help: "at the end, write what was sent, heard and delivered of each identity"),
        ])

    init(_ invocation: Invocation) throws(UsageError) {
        // The parser has seen to it that these two are there.
        scenarioPath = invocation["scenario"] ?? ""
        gateway = invocation["gateway"] ?? ""
        tallyPath = invocation["tally"]
        let name = invocation["family"] ?? "legacy"
        guard let family = CommandFamily(rawValue: name) else {
            throw UsageError("--family must be legacy or extended, not “\(name)”")
        }
        self.family = family
        place = try Self.place(invocation)
        address = try invocation["address"].map(Self.address)
        seconds = try invocation["seconds"].map(Self.seconds)
        var faults: [Misbehaviour] = []
        for text in invocation.all("fault") {
            guard let fault = Misbehaviour(text) else {
                throw UsageError(
                    "--fault must be AT:KIND[:ARGUMENT], such as 10:stall:5, not “\(text)”")
            }
            faults.append(fault)
        }
        self.faults = faults
    }

    private static func place(_ invocation: Invocation) throws(UsageError) -> RadioService.Place {
        switch (invocation["listen"], invocation["vhci"]) {
        case (nil, let path?): return .vhci(path: path)
        case (let text?, nil):
            guard let address = socketAddress(text) else {
                throw UsageError("--listen must be unix:PATH or tcp:HOST:PORT, not “\(text)”")
            }
            return .socket(address)
        default: throw UsageError("either --listen ADDRESS or --vhci PATH is required")
        }
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

    private static func seconds(_ text: String) throws(UsageError) -> Double {
        guard let seconds = Double(text), (0...1e9).contains(seconds) else {
            throw UsageError("--seconds must be a number of seconds, not “\(text)”")
        }
        return seconds
    }
}
