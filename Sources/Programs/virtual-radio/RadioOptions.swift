import CommandLine
import VirtualRadio

/// What the command line asks for.
struct RadioOptions {
    let scenarioPath: String
    /// One at least, each with another gateway.
    let radios: [RadioChoice]
    /// Whether the controllers go on without a host.
    let keepsPower: Bool
    /// How long to live, in seconds.
    let seconds: Double?
    let tallyPath: String?

    static let command = Command(
        name: "virtual-radio",
        summary:
            "simulated Bluetooth controllers in front of a small world of people with beacons",
        options: [
            Option(
                "scenario", value: "FILE", help: "the world, such as config/scenarios/queue.json",
                isRequired: true),
            Option(
                "gateway", value: "ID",
                help: "the scenario's gateway to listen from; if given several times, so many"
                    + " controllers hear the world and each other",
                isRequired: true, isRepeatable: true),
            Option(
                "family", value: "NAME",
                help: "the newest commands that the controller has: legacy (default), extended, or"
                    + " legacy-4.2 and legacy-4.0, which do not advertise more often than every"
                    + " 100 ms and refuse the events of later versions; once for"
                    + " all gateways or once for each",
                isRepeatable: true),
            Option(
                "listen", value: "ADDRESS",
                help: "serve H4 on unix:PATH or tcp:HOST:PORT, one host after the other; the n-th"
                    + " for the n-th gateway",
                isRepeatable: true),
            Option(
                "vhci", value: "PATH",
                help: "be an adapter of the kernel's, at /dev/vhci; once for all gateways or once"
                    + " for each",
                isRepeatable: true),
            Option(
                "address", value: "ADDRESS",
                help:
                    "the public address, such as 02:00:00:00:00:01; the n-th for the n-th gateway",
                isRepeatable: true),
            Option(
                "no-scan-while-advertising",
                help: "controllers that refuse to scan and to advertise at the same time"),
            Option(
                "keep-power",
                help: "a controller goes on when its host is gone, as an adapter does, and the next"
                    + " host finds it as it was left; otherwise it loses its power with the"
                    + " connection"),
            Option(
                "fault", value: "[ID=]AT:KIND[:ARGUMENT]",
                help: "misbehave, AT seconds after the start: stall:SECONDS, silent[:SECONDS],"
                    + " refuse:OPCODE:STATUS[:TIMES], hardwareError[:CODE], close[:SECONDS]; at"
                    + " the gateway ID, or without one at all of them",
                isRepeatable: true),
            Option("seconds", value: "N", help: "end after so long"),
            Option(
                "tally", value: "FILE",
                help: "at the end, write what was sent, heard and delivered of each identity, and"
                    + " what of it to which host; of several gateways, an array in their order"),
        ])

    init(_ invocation: Invocation) throws(UsageError) {
        // The parser has seen to it that this one is there.
        scenarioPath = invocation["scenario"] ?? ""
        radios = try RadioChoice.all(invocation)
        keepsPower = invocation.has("keep-power")
        tallyPath = invocation["tally"]
        seconds = try invocation["seconds"].map(Self.seconds)
    }

    private static func seconds(_ text: String) throws(UsageError) -> Double {
        guard let seconds = Double(text), (0...1e9).contains(seconds) else {
            throw UsageError("--seconds must be a number of seconds, not “\(text)”")
        }
        return seconds
    }
}
