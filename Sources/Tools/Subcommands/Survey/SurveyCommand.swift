import Beacons
import CommandLine
import Configuration
import Contract
import JSON
import Primitives
import Queueing
import Terminal

/// `sightline survey`: measures the close levels of a queue's gateways with one beacon, spot by spot.
struct SurveyCommand: Subcommand {
    static let command = Command(
        name: "sightline survey",
        summary: "measures a new queue with one beacon: where its gateways hear it, and how well",
        options: BrokerOptions.place + [
            Option(
                "config", value: "FILE",
                help: "the sites, their queues and gateways, or the file of sightline-server",
                isRequired: true),
            Option("site", value: "SITE", help: "the site, if the file has several"),
            Option("queue", value: "QUEUE", help: "the queue, if the site has several"),
            Option(
                "beacon", value: "UUID/MAJOR/MINOR",
                help: "the beacon in your hand, one of those that visitors carry",
                isRequired: true),
            Option("seconds", value: "N", help: "the time at each spot, 10 to 120; 15 is usual"),
            Option("json", help: "write the result as one JSON object"),
        ] + BrokerOptions.credentials, manual: manual)

    private let broker: BrokerOptions
    private let path: String
    private let site: String?
    private let queue: String?
    private let beacon: BeaconIdentity
    private let seconds: Int
    private let json: Bool

    init(_ invocation: Invocation) throws(UsageError) {
        broker = try BrokerOptions(invocation)
        path = invocation["config"] ?? ""
        site = try broker.site(invocation)
        queue = invocation["queue"]
        json = invocation.has("json")
        let text = invocation["beacon"] ?? ""
        guard let beacon = BeaconIdentity(text) else {
            throw UsageError(
                "--beacon must be UUID/MAJOR/MINOR, not “\(text.printable(limit: 100))”")
        }
        self.beacon = beacon
        let number = invocation["seconds"] ?? "15"
        guard let seconds = Int(number), (10...120).contains(seconds) else {
            throw UsageError(
                "--seconds must be a whole number from 10 to 120, not “\(number.printable())”")
        }
        self.seconds = seconds
    }

    func run(to output: inout StandardOutput) -> ExitCode {
        let (site, queue): (SiteLayout, QueueLayout)
        do throws(ConfigurationError) {
            let sites = try QueueConfiguration.load(path: path).sites
            site = try Self.one(sites, self.site, "site", path, name: \.site)
            queue = try Self.one(site.queues, self.queue, "queue", path, name: \.name)
        } catch {
            for line in error.lines { StandardOutput.report(line) }
            return .wrongUse
        }
        var session = SurveySession(
            queue, of: site.site, beacon, root: broker.root, seconds: seconds)
        let status = broker.run(
            &session, session.filters, quality: .atMostOnce,
            maximumPayload: SightingsMessage.maxBytes, to: &output)
        guard status == .done else { return status }
        let report = SurveyReport(session.survey, of: site)
        output.write(json ? report.json.text + "\n" : report.text)
        return session.survey.faults.isEmpty ? .done : .partlyDone
    }

    /// The only element, or the named one.
    private static func one<Element>(
        _ all: [Element], _ name: String?, _ noun: String, _ path: String,
        name key: KeyPath<Element, String>
    ) throws(ConfigurationError) -> Element {
        let names = all.map { $0[keyPath: key] }
        if let name {
            if let index = names.firstIndex(of: name) { return all[index] }
            let hint =
                NearestWord.to(name, among: names).map { "did you mean \($0.quotedForPeople)?" }
                ?? "it has \(names.joined(separator: ", "))"
            throw ConfigurationError(
                lines: [
                    "\(path.printable(limit: 400)) has no \(noun) \(name.quotedForPeople); \(hint)"
                ])
        }
        guard all.count == 1 else {
            throw ConfigurationError(
                lines: [
                    "\(path.printable(limit: 400)) has \(count(all.count, noun)): choose one with --\(noun)"
                ])
        }
        return all[0]
    }
}

extension SurveyCommand {
    /// The parts of the man page that `--help` lacks.
    private static let manual = Manual(
        [
            "Walk through the line once with a beacon in your hand, held as visitors carry it. The command names each "
                + "spot. Go there, press Enter, and stand still until the next question. The spots are beside each "
                + "gateway, in the middle of the line, and "
                + "beside the line where people look at goods. To leave out a spot, type s and press Enter.",
            "The result is the mean power at each spot, with the standard deviation of its seconds. A sentence names "
                + "each fault and its remedy: a gateway hears both ends alike, no gateway hears the middle, or the "
                + "levels beside the line are those of its middle.",
            "The accuracy to expect comes from the bench: from a simulator that no model was fitted to, with as many "
                + "reports a second. It is not measured here.",
            "The last line has closeLevels for the site in the file of sightline-server(8). With them, a queue is "
                + "known at once. Without them, each gateway listens for learningSeconds first. The command changes "
                + "no file.",
            "The command ends with 3 if something is to be mended.",
        ],
        exitCodes: ExitCode.manual + [.init("3", "measured, with something to mend")],
        examples: [
            .init(
                "sightline survey --broker mqtt://localhost --config /etc/sightline-server/server.json "
                    + "--beacon e2c56db5-dffb-48d2-b060-d0f5a71096e0/1/17",
                "Survey the only queue of a store:")
        ], seeAlso: ["sightline(1)", "sightline-queue(1)", "sightline-server.json(5)"])
}
