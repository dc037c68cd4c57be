import CommandLine
import Inventory
import Terminal

extension BeaconsCommand {
    /// The parts of the man page that `--help` lacks.
    static let manual = Manual(
        [
            "Without ACTION, shows the state of each registered beacon that servers publish, once: what needs a "
                + "person first, then the others. EVIDENCE says why. --work shows the work list alone: DAYS is how "
                + "soon; of a battery, when it ends. A beacon without a row is an event, and in no list: --follow "
                + "writes each event as it comes.",
            "The registry is a CSV file with a header row: one beacon a line, with the columns of COLUMNS below. "
                + "Columns with other names have no meaning here, and stay. A row of visitors or staff may be a "
                + "range of minor numbers.",
            "list prints the rows. lint finds all faults of the file with their lines: wrong values, duplicates, "
                + "ranges that overlap.",
            "diff listens to the gateways of a broker, or reads recorded messages, and compares. A fixed beacon, a "
                + "gateway or an asset that no gateway heard is missing; staff are absent. A beacon with a UUID of "
                + "the registry and no row is unregistered, after three reports in two windows. Beacons of visitors "
                + "and of other organisations are only counted. An AltBeacon or Eddystone-UID counts as the iBeacon "
                + "with the same numbers, as gateways advertise them. A registered beacon that sends rarely needs a "
                + "longer --seconds.",
            "accept says that the place or the identity of a beacon is right. It writes a new since into its row, "
                + "and the values of --zone, --place and --identity. From then on, the server learns the levels of "
                + "the new place. retire writes until: from the next day on, the beacon is in use no more. Both "
                + "change this row alone, replace the file as a whole, and print each changed cell. A change that "
                + "would be a fault is refused.",
            "plan proposes numbers for fixed beacons and gateways: a major number for each zone, that of most of its "
                + "beacons, and free minor numbers in it. It prints a table for the vendor's tool, and for a gateway "
                + "the command that changes it. It changes nothing.",
            "import writes a registry to standard output: from the export of a vendor's tool, whose other columns it "
                + "keeps, or with --input from what gateways heard. It knows the names of Kontakt.io's devices "
                + "(proximity, major, minor, alias, interval) and of Estimote's (proximity_uuid, major, minor, name).",
            "label makes places better: stand in a zone with a beacon of the registry for a minute, as label BEACON "
                + "ZONE says to the server, which notes what its gateways hear. The command waits for the end, and "
                + "prints what the server has learnt. Without BEACON, label lists all labels; --remove removes one. "
                + "It needs a token of the server with the scope manage; a profile has it in its section server.",
            "COLUMNS: "
                + RegistryColumn.all.map { "\($0.name) (\($0.help))" }.joined(separator: "; ")
                + ".",
        ],
        exitCodes: ExitCode.manual + [.init("3", "without ACTION, and diff: a beacon is missing")],
        examples: [
            .init("sightline beacons --site store-042 --work", "What to do first:"),
            .init(
                "sightline beacons accept beacons.csv shelf-17 --place 3.5,12 --zone sales",
                "Somebody has moved a beacon, and it shall stay there:"),
            .init("sightline beacons retire beacons.csv shelf-17", "It is in use no more:"),
            .init(
                "sightline beacons label shelf-17 sales --token-file token",
                "Stand in a zone with a beacon, for a minute:"),
            .init("sightline beacons lint beacons.csv", "Check the registry:"),
            .init(
                "sightline beacons diff beacons.csv --broker mqtt://localhost --seconds 120",
                "Which beacons are missing?"),
            .init(
                "sightline beacons diff beacons.csv --input monday.jsonl --json",
                "The same of recorded messages, for a script:"),
            .init(
                "sightline beacons import export.csv > beacons.csv",
                "Begin with a vendor's export:"),
        ],
        seeAlso: ["sightline(1)", "sightline-watch(1)", "sightline-profile.json(5)"])
}
