import CommandLine
import Primitives
import VirtualRadio

/// What the command line asks for.
struct RadioOptions {
    /// Captures to write, faster than real time.
    struct Captures {
        let folder: String
        /// None: all of the scenario.
        let gateways: [String]
        /// On the wall clock.
        let time: Range<Instant>
    }

    let scenarioPath: String
    /// Replaces the scenario's seed.
    let seed: UInt64?
    /// `nil` for live radios.
    let captures: Captures?
    /// Each with another gateway; none if only the truth is written.
    let radios: [RadioChoice]
    let truthPath: String?
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
                help: "the scenario's gateway to listen from; can be repeated"
                    + " controllers hear the world and each other; required without --captures and"
                    + " --truth",
                isRepeatable: true),
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
                help: "misbehave, AT seconds after the start, or scan+AT after the host's first"
                    + " scan: stall:SECONDS, silent[:SECONDS],"
                    + " refuse:OPCODE:STATUS[:TIMES], hardwareError[:CODE], close[:SECONDS]; at"
                    + " the gateway ID, or without one at all of them",
                isRepeatable: true),
            Option("seconds", value: "N", help: "end after so long"),
            Option("seed", value: "N", help: "replaces the seed of the scenario"),
            Option(
                "truth", value: "FILE",
                help: "write who joined a queue, was served, gave up, and where everybody is, as"
                    + " lines of JSON; - is standard output. Without a gateway, that is all that"
                    + " the program does"),
            Option(
                "captures", value: "FOLDER",
                help: "write a btsnoop capture for each gateway, GATEWAY.btsnoop, instead of"
                    + " serving hosts: faster than real time"),
            Option("hours", value: "N", help: "how much time the captures have; 1 by default"),
            Option(
                "start", value: "MS",
                help: "when the captures begin, in milliseconds since the Unix epoch;"
                    + " 1780300800000 (2026-06-01 08:00 UTC) by default"),
            Option(
                "tally", value: "FILE",
                help: "at the end, write what was sent, heard and delivered of each identity, and"
                    + " what of it to which host; of several gateways, an array in their order"),
        ])

    init(_ invocation: Invocation) throws(UsageError) {
        // The parser has seen to it that this one is there.
        scenarioPath = invocation["scenario"] ?? ""
        truthPath = invocation["truth"]
        seed = try invocation["seed"].map { text throws(UsageError) in
            guard let seed = UInt64(text), seed <= Int64.max else {
                throw UsageError("--seed must be a whole number, not “\(text)”")
            }
            return seed
        }
        captures = try Self.captures(invocation)
        let isWithoutRadio = captures != nil || truthPath != nil && !invocation.has("gateway")
        radios = isWithoutRadio ? [] : try RadioChoice.all(invocation)
        keepsPower = invocation.has("keep-power")
        tallyPath = invocation["tally"]
        seconds = try invocation["seconds"].map(Self.seconds)
    }

    private static func captures(
        _ invocation: Invocation
    ) throws(UsageError) -> Captures? {
        guard let folder = invocation["captures"] else {
            for option in ["hours", "start"] where invocation.has(option) {
                throw UsageError("--\(option) needs --captures FOLDER")
            }
            return nil
        }
        for option in ["listen", "vhci", "tally", "fault", "seconds"] where invocation.has(option) {
            throw UsageError("--\(option) is for live radios, not for --captures")
        }
        let text = invocation["hours"] ?? "1"
        guard let hours = Double(text), hours > 0, hours <= 10_000 else {
            throw UsageError("--hours must be more than 0 and at most 10000, not “\(text)”")
        }
        let from = invocation["start"] ?? "1780300800000"
        // Until the year 2100.
        guard let start = Int64(from), (0...4_102_444_800_000).contains(start) else {
            throw UsageError(
                "--start must be milliseconds since the Unix epoch, such as 1780300800000, not"
                    + " “\(from)”")
        }
        let begin = Instant(microseconds: start * 1000)
        return Captures(
            folder: folder, gateways: invocation.all("gateway"),
            time: begin..<begin + .microseconds(Int64(hours * 3_600_000_000)))
    }

    private static func seconds(_ text: String) throws(UsageError) -> Double {
        guard let seconds = Double(text), (0...1e9).contains(seconds) else {
            throw UsageError("--seconds must be a number of seconds, not “\(text)”")
        }
        return seconds
    }
}
