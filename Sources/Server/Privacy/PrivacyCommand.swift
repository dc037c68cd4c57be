import Beacons
import CommandLine
import Configuration
import Posix
import ResultStore
import ServerConfiguration

/// `sightline-server privacy`: what the server holds, how long, and a search for identities that proves it.
struct PrivacyCommand: ServerSubcommand {
    static let command = Command(
        name: "sightline-server privacy",
        summary: "shows what the server holds, and searches it for identities of beacons",
        options: [
            Option(
                "config", short: "c", value: "FILE",
                help: "the configuration; the default is \(SightlineServer.usualConfiguration)"),
            Option(
                "beacon", value: "UUID/MAJOR/MINOR",
                help:
                    "search for this beacon too, also NAMESPACE/INSTANCE (Eddystone) or 40 digits "
                    + "(AltBeacon); may be repeated", isRepeatable: true),
            Option("json", help: "write one JSON object"),
        ], manual: manual)

    private let path: String
    private let beacons: [BeaconIdentity]
    private let json: Bool

    private static let mostBeacons = 100

    init(_ invocation: Invocation) throws(UsageError) {
        path = invocation["config"] ?? SightlineServer.usualConfiguration
        json = invocation.has("json")
        var beacons: [BeaconIdentity] = []
        for text in invocation.all("beacon") {
            guard let identity = BeaconIdentity(text) else {
                throw UsageError(
                    "--beacon must be UUID/MAJOR/MINOR, with MAJOR and MINOR from 0 to 65535, "
                        + "NAMESPACE/INSTANCE or 40 hexadecimal digits, not "
                        + "“\(text.printable(limit: 60))”")
            }
            beacons.append(identity)
        }
        guard beacons.count <= Self.mostBeacons else {
            throw UsageError("--beacon is possible \(Self.mostBeacons) times at most")
        }
        self.beacons = beacons
    }

    func run(_ engines: StoreEngines) throws(SightlineServer.Exit) {
        let configuration = try SightlineServer.load(path)
        guard let folder = SightlineServer.stateDirectory(configuration, of: path) else {
            throw SightlineServer.report(
                ["\(path): /stateDirectory: stateDirectory is required, since HOME is not set"],
                .wrong)
        }
        let engine = try SightlineServer.engine(of: configuration, engines, file: path)
        let store = engine.place(in: folder)
        guard engine.exists(at: store) else {
            throw SightlineServer.report(
                ["\(folder) has no store: run this as the server's user or root, on its machine"],
                .failed)
        }
        let registries: Registries
        do throws(ConfigurationError) {
            registries = try Registries(configuration, of: path)
        } catch { throw SightlineServer.report(error.lines, .wrong) }
        let report: PrivacyReport
        do throws(StoreFailure) {
            report = try PrivacyReport(
                SoughtBeacons(beacons, of: configuration, registries), configuration,
                folder: folder, store: store, of: engine,
                journal: SightlineServer.journal(of: folder),
                keys: SightlineServer.keyFolders(of: folder))
        } catch {
            throw SightlineServer.report(["\(store) can't be read: \(error)"], .failed)
        }
        SightlineServer.print(
            json ? report.json.text + "\n" : report.lines.map { $0 + "\n" }.joined())
        guard report.isProved ?? report.isReadWhole else { throw .failed }
    }

    private static let manual = Manual(
        [
            "Lists the tables of the store with their rows, times and retention, the keys of days, and the files of "
                + "the state directory. Then it searches them for identities of beacons: for all UUIDs and "
                + "namespaces that the configuration names, and for each --beacon. It finds bytes in both orders, "
                + "hexadecimal digits and text, in files, in their names, and in rows of the store.",
            "For each --beacon it also computes the pseudonym under each existing key, and reports where the store "
                + "has it. A pseudonym is allowed until its day's evidence ends. An identity is never allowed.",
            "It changes nothing, and works beside a running server. Run it as root or as the server's user.",
        ],
        exitCodes: [
            .init("0", "everything was read, and no identity was found"),
            .init("1", "an identity was found, or a file can't be read"),
            .init("2", "wrong usage or configuration"),
        ],
        examples: [
            .init("sudo sightline-server privacy", "Show what is held:"),
            .init(
                "sudo sightline-server privacy --beacon f7826da6-4fa2-4e98-8024-bc5b71e0893e/42/7",
                "Prove that the server does not hold a customer's beacon:"),
        ], seeAlso: ["sightline-server(8)", "sightline-server.json(5)"])
}
