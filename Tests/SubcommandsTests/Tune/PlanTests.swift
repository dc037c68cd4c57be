import JSON
import Primitives
import Terminal
import TestSupport
import Testing

@testable import Subcommands

@Suite("plans")
struct PlanTests {
    /// The plan as lines: the document and its assignments.
    private static func lines(_ text: String) throws -> [String] {
        try Plan(parsing: Array(text.utf8)).edits.map { edit in
            "\(edit.name): "
                + edit.assignments.map { "\($0.path.joined(separator: "."))=\($0.value.text)" }
                .joined(separator: " ")
        }
    }

    private static func faults(_ text: String) -> [String] {
        do throws(PlanFile.Invalid) {
            _ = try Plan(parsing: Array(text.utf8))
            return []
        } catch {
            return error.sentences
        }
    }

    @Test(
        "column names are read in any case",
        arguments: [
            "Site,MAJOR,Gateway,Minor,Advertise.TxPowerDbm\na,1,x,7,-4\n",
            #"[{"SITE":"a","Major":1,"GATEWAY":"x","minor":7,"advertise.txpowerdbm":-4}]"#,
        ])
    func anyCase(text: String) throws {
        #expect(
            try Self.lines(text) == [
                "site a: advertise.major=1",
                "gateway a/x: advertise.minor=7 advertise.txPowerDbm=-4",
            ])
    }

    @Test("a column in two cases is a duplicate")
    func twoCases() {
        #expect(
            Self.faults("site,gateway,minor,Minor\na,x,7,8\n") == [
                "line 1: duplicate column minor"
            ])
    }

    @Test("majors belong to sites, other columns to gateways")
    func sorted() throws {
        let text = """
            site,major,gateway,minor,advertise.txPowerDbm
            a,1,x,7,-4
            a,1,y,8,
            b,2,,,
            b,,z,7,null
            c,,w,,
            """
        let expected = [
            "site a: advertise.major=1", "site b: advertise.major=2",
            "gateway a/x: advertise.minor=7 advertise.txPowerDbm=-4",
            "gateway a/y: advertise.minor=8",
            "gateway b/z: advertise.minor=7 advertise.txPowerDbm=null",
        ]
        #expect(try Self.lines(text) == expected)
        let windows =
            text.split(separator: "\n").joined(separator: "\r\n\r\n") + "\r\n,,,,\r\n"
        #expect(try Self.lines(windows) == expected)
        #expect(try Self.lines(text.replacing(",", with: ";")) == expected)
        #expect(
            try Self.lines(
                """
                [{"site":"a","major":1,"gateway":"x","minor":7,"advertise.txPowerDbm":-4},
                 {"site":"a","major":1,"gateway":"y","minor":8},
                 {"site":"b","major":2}, {"site":"b","gateway":"z","minor":7,"advertise.txPowerDbm":null},
                 {"site":"c","gateway":"w","minor":""}]
                """) == expected)
        #expect(try Plan(parsing: Array(text.utf8)).gateways.count == 4)
    }

    @Test(
        "faults have their line",
        arguments: [
            ("", "the file is empty"), ("site,major\n", "there are no rows"),
            ("gateway,minor\nx,7\n", "line 1: the column site is missing"),
            ("place;major\na;1\n", "line 1: the column site is missing"),
            ("site,minor\na,7\n", "line 1: the column gateway is missing; minor belongs to one"),
            (
                "site,gateway\na,x\n",
                "line 1: no column has values to set; expected a column major, minor, or another key"
            ),
            ("site,major,major\na,1,1\n", "line 1: duplicate column major"),
            (
                "site,gateway,minor,advertise.minor\na,x,1,1\n",
                "line 1: duplicate column advertise.minor"
            ),
            (
                "site,gateway,advertise.majr\na,x,1\n",
                "line 1: unknown key “majr”; did you mean “major”?"
            ),
            (
                "site,gateway,foo\na,x,1\n",
                "line 1: unknown column “foo”; expected site, major, gateway, minor, or a key such as advertise.txPowerDbm"
            ),
            (
                "site,gateway,minro\na,x,1\n",
                "line 1: unknown column “minro”; did you mean “minor”?"
            ),
            (
                "site,gateway,uuid\na,x,1\n",
                "line 1: unknown key “uuid”; did you mean advertise.uuid?"
            ),
            (
                "site,gateway,version\na,x,1\n",
                "line 1: version can't be set; it increases automatically"
            ),
            (
                "site,major\n\na/b,1\n",
                "line 3: site must be 1 to 64 of A-Z a-z 0-9 . _ - (not only dots), not “a/b”"
            ),
            ("site,major\n,1\n", "line 2: site is missing"),
            ("site,major\na,1,2\n", "line 2: 3 cells, but the header has 2"),
            ("site,major\na,65536\n", "line 2: major must be 0…65535, not 65536"),
            ("site,major\na,x\n", "line 2: major must be a whole number, not “x”"),
            ("site,gateway,minor\na,,7\n", "line 2: minor belongs to a gateway, but none is named"),
            (
                "site,gateway,minor\na,x,7\na,x,8\n",
                "line 3: gateway a/x is there already, in line 2"
            ),
            ("site,major\na,1\na,1\n", "line 3: site a is there already, in line 2"),
            (
                "site,major,gateway,minor\na,1,x,7\na,2,y,8\n",
                "line 3: major 2 of a contradicts 1 in line 2"
            ),
            (
                "site,major,gateway,minor\na,1,x,7\n\"a\",,y,7\n",
                "line 3: a/y gets the identity of a/x in line 2, minor 7; each gateway needs its own"
            ),
            ("site,major\n\"a,1\n", "line 2: a quote is opened and never closed"),
            (
                "site,major\n\"a\"b,1\n",
                "line 2: text behind a closing quote; a quote within is doubled"
            ),
            (
                "site,major\na\"b,1\n",
                "line 2: a quote in the middle of a cell; put the whole cell in quotes, and double those within"
            ),
            ("[{\"site\":\"a\",\"major\":1},3]", "row 2: expected an object, not an integer"),
            (
                "[{\"site\":1,\"major\":1}]",
                "row 1: site must be 1 to 64 of A-Z a-z 0-9 . _ - (not only dots)"
            ),
            (
                "[{\"site\":\"a\",\"gateway\":\"x\",\"minor\":1,\"advertise.minor\":2}]",
                "row 1: duplicate key advertise.minor"
            ),
            ("[]", "there are no rows"),
            ("[{", "line 1, column 3: the text ends in the middle of a value"),
            ("[{\"site\":\"a\"}]", "no row has a value to set"),
        ])
    func wrong(text: String, sentence: String) { #expect(Self.faults(text) == [sentence]) }

    @Test("all faults are reported together")
    func all() {
        let text = "site,major,gateway,minor\na,1,x,70000\na,x,y,8\nb!,1,z,1\n"
        #expect(Self.faults(text).map { $0.prefix(7) } == ["line 2:", "line 3:", "line 4:"])
    }

    @Test("faults of one row and of several rows have the file's order")
    func order() {
        let text = "site,major,gateway,minor\na,1,x,7\na,2,y,8\nb!,1,z,1\na,1,v,7\n"
        #expect(Self.faults(text).map { $0.prefix(7) } == ["line 3:", "line 4:", "line 5:"])
    }

    @Test("invalid UTF-8 is a fault with its line")
    func encoding() {
        let bytes = Array("site,major\na,1\n".utf8) + [0xff, 0x2c, 0x31]
        #expect(throws: PlanFile.Invalid(["line 3: this is not UTF-8"])) {
            try Plan(parsing: bytes)
        }
    }

    @Test("equal minors with different majors or UUIDs are different identities")
    func identities() throws {
        let other = "00000000-0000-0000-0000-000000000001"
        let text = """
            site,major,gateway,minor,advertise.major,advertise.uuid
            a,1,x,7,,
            b,2,x,7,,
            a,,y,7,3,
            a,,z,7,,\(other)
            """
        #expect(Self.faults(text) == [])
        let same = text + "\na,,v,7,,\(other.filter { $0 != "-" })\n"
        #expect(Self.faults(same).first?.hasPrefix("line 6: a/v gets the identity of a/z") == true)
        #expect(Self.faults(text + "\na,,v,7,1,\n").first?.hasPrefix("line 6: a/v gets") == true)
        #expect(Self.faults(text + "\na,,v,0.7e1,1.0,\n") == Self.faults(text + "\na,,v,7,1,\n"))
    }

    @Test("a number has one identity in all notations")
    func numbers() throws {
        let text = "site,major,gateway,minor\na,1,x,7\na,1.0,y,8.0\n"
        #expect(
            try Self.lines(text) == [
                "site a: advertise.major=1", "gateway a/x: advertise.minor=7",
                "gateway a/y: advertise.minor=8",
            ])
        let json = #"[{"site":"a","gateway":"x","minor":7},{"site":"a","gateway":"y","minor":7.0}]"#
        #expect(Self.faults(json).first?.hasPrefix("row 2: a/y gets the identity of a/x") == true)
    }

    @Test("two sites with one major are a warning")
    func warnings() throws {
        let plan = try Plan(parsing: Array("site,major\na,1\nb,1\n".utf8))
        #expect(plan.warnings == ["warning: line 3: b gets major 1, as a in line 2"])
    }

    @Test(
        "quotes, commas and line breaks follow RFC 4180",
        arguments: [
            ("a,b", [["a", "b"]]),
            ("\"a,\"\"b\"\"\",\"c\nd\"\r\ne,", [["a,\"b\"", "c\nd"], ["e", ""]]),
            ("a\rb\nc", [["a"], ["b"], ["c"]]), ("\n\n,\n", []), ("\"\"", []),
        ] as [(String, [[String]])])
    func csv(text: String, cells: [[String]]) throws {
        #expect(try CSV(Array(text.utf8)).records.map(\.cells) == cells)
    }

    @Test("lines count within quotes")
    func lines() throws {
        let records = try CSV(Array("a\n\"b\r\nc\rd\"\r\ne".utf8)).records
        #expect(records.map(\.line) == [1, 2, 5])
    }

    @Test("corrupt files give a plan or faults")
    func damaged() {
        let text = Array("site,major,gateway,minor\r\n\"a\",1,x,\"7\"\r\na,,y,8\r\n".utf8)
        for index in text.indices {
            for byte: UInt8 in [0, 10, 13, 34, 44, 0x5b, 0xff] {
                var bytes = text
                bytes[index] = byte
                _ = try? Plan(parsing: bytes)
            }
            _ = try? Plan(parsing: Array(text.prefix(index)))
        }
    }

    @Test("a plan's file may have a byte order mark; bytes that are no text are no plan")
    func file() throws {
        let folder = try TemporaryFolder()
        let marked = try folder.write("\u{feff}site,major\r\na,1\r\n", to: "plan.csv")
        #expect(try Plan(path: marked).edits.count == 1)
        let json = try folder.write("\u{feff}[{\"site\":\"a\",\"major\":1}]", to: "plan.json")
        #expect(try Plan(path: json).edits.count == 1)
        let random = try folder.write([0x8f, 0x00, 0x1b, 0xe9, 0x2c, 0x0a], to: "random")
        #expect(throws: PlanFile.Invalid(["can't be read: not a text file"])) {
            try Plan(path: random)
        }
    }
}
