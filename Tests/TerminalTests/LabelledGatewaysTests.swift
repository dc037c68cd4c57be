import CommandLine
import Terminal
import TestSupport
import Testing

/// The gateways that labels choose.
@Suite struct LabelledGatewaysTests {
    private static let plan = """
        Site;Gateway;Minor;Label.Floor;label.region
        north-1;;;;north
        north-1;entry-1;1;1;
        north-1;till-1;2;2;
        south-1;entry-1;1;1;south
        south-1;till-1;2;2;south
        south-1;till-2;3;;
        """

    private func fleet(_ text: String = plan) throws -> LabelledGateways {
        try LabelledGateways(try PlanFile(parsing: Array(text.utf8)))
    }

    private func chosen(_ labels: [String]) -> String {
        do {
            let selection = try GatewaySelection(labels, of: fleet(), in: "stores.csv")
            return selection?.names.map(\.description).joined(separator: " ") ?? "all"
        } catch let error as UsageError {
            return error.description
        } catch {
            return "\(error)"
        }
    }

    @Test(
        "labels of different names restrict, and those of one name are alternatives",
        arguments: [
            ([], "all"), (["floor=1"], "north-1/entry-1 south-1/entry-1"),
            (["FLOOR=2", "region=south"], "south-1/till-1"),
            (["floor=1", "floor=2", "region=north"], "north-1/entry-1 north-1/till-1"),
            // A site's row is for all its gateways.
            (["region=north"], "north-1/entry-1 north-1/till-1"),
            (
                ["floor=3"],
                "no gateway of stores.csv has floor=3; did you mean floor=1?"
            ),
            (
                ["colour=blue"],
                "no gateway of stores.csv has colour=blue; it has labels: floor=1, floor=2,"
                    + " region=north, region=south"
            ),
            (["floor"], "--label must be NAME=VALUE, such as floor=2, not “floor”"),
        ])
    func choices(labels: [String], expected: String) {
        #expect(chosen(labels) == expected)
    }

    @Test("a JSON plan has labels as well, numbers and texts")
    func json() throws {
        let text =
            #"[{"site": "s", "gateway": "a", "label.floor": 2}, {"site": "s", "gateway": "b", "label.floor": "2"}]"#
        let fleet = try fleet(text)
        #expect(fleet.all == ["floor=2"])
        #expect(try GatewaySelection(["floor=2"], of: fleet, in: "p")?.names.count == 2)
    }

    @Test(
        "all faults of names are found, whatever the other columns have",
        arguments: [
            ("store,gateway\ns,g\n", ["line 1: the column site is missing"]),
            ("site,major\ns,4\n", ["line 1: the column gateway is missing"]),
            (
                "site,gateway,note\n..,g,x\ns,g,x\ns,g,x\n,h,x\n",
                [
                    "line 2: site must be 1 to 64 of A-Z a-z 0-9 . _ - (not only dots), not “..”",
                    "line 4: s/g is there already, in line 3", "line 5: site is missing",
                ]
            ),
            ("site,gateway\ns\n", ["line 2: 1 cell, but the header has 2"]),
            ("site,gateway,Site\ns,g,t\n", ["line 1: duplicate column site"]),
            ("site,gateway,label.a,Label.A\ns,g,1,2\n", ["line 1: duplicate column label.a"]),
            (
                #"[{"site": "s", "gateway": "g", "minor": 1, "advertise.minor": 1}]"#,
                ["row 1: duplicate key advertise.minor"]
            ),
            ("[1]", ["row 1: expected an object, not an integer"]),
        ])
    func faults(text: String, sentences: [String]) {
        #expect(throws: PlanFile.Invalid(sentences)) { try fleet(text) }
    }

    @Test("--label needs a file: an option, or the profile's")
    func file() throws {
        let folder = try TemporaryFolder()
        try folder.write(Self.plan, to: "stores.csv")
        let command = Command(
            name: "sightline watch", summary: "", options: GatewaySelection.options)
        func selection(_ arguments: [String], usually: String?) throws -> GatewaySelection? {
            guard case .run(let invocation) = try command.parse(arguments) else {
                throw TestFailure("no invocation")
            }
            return try GatewaySelection(invocation, usually: usually)
        }
        let path = folder.file("stores.csv")
        #expect(try selection([], usually: nil) == nil)
        #expect(try selection(["--label", "floor=1"], usually: path)?.names.count == 2)
        #expect(try selection(["--label", "floor=1", "--labels", path], usually: nil) != nil)
        #expect(throws: UsageError.self) { try selection(["--label", "floor=1"], usually: nil) }
        #expect(throws: UsageError.self) { try selection(["--labels", path], usually: nil) }
        #expect(throws: UsageError.self) {
            try selection(["--label", "floor=1"], usually: folder.file("none.csv"))
        }
    }
}
