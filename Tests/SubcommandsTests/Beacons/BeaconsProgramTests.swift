import Foundation
import MessageSamples
import TestSupport
import Testing

/// The program itself with files.
@Suite(
    "sightline beacons",
    .enabled(
        if: BuiltProgram.find("sightline") != nil, "the program was not built beside the tests"))
struct BeaconsProgramTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: String...) throws -> (lines: [String], status: Int32?) {
        try run(arguments)
    }

    private func run(_ arguments: [String]) throws -> (lines: [String], status: Int32?) {
        let child = try ChildProcess(
            try #require(BuiltProgram.find("sightline")), ["beacons"] + arguments,
            environment: ["LANG": "C.UTF-8", "XDG_CONFIG_HOME": folder.path])
        let status = child.waitForExit()
        return (child.lines, status)
    }

    private static let uuid = Samples.uuid
    private static let registry = """
        uuid,major,minor,kind,name,zone,shelf
        \(uuid),42,7,fixed,entrance,sales,A
        \(uuid),42,8,fixed,till,tills,B
        \(uuid),42,100-200,visitor,,,
        """

    /// A window of a gateway, as `sightlined --output -` writes it.
    private static func line(_ seq: Int, minors: [Int]) -> String {
        let sightings = minors.map {
            """
            {"type":"ibeacon","uuid":"\(uuid)","major":42,"minor":\($0),"measuredPower":-59,"count":10,\
            "rssi":{"min":-71,"max":-58,"mean":-64.2,"stddev":3.11,"last":-66},\
            "power":{"mean":-63.1,"centroid":431},"firstSeen":12,"lastSeen":987,"maxAt":340,"senders":1}
            """
        }.joined(separator: ",")
        return """
            {"v":1,"site":"store-042","gateway":"entry-1","session":"a","seq":\(seq),\
            "window":{"start":178000000\(seq)000,"end":178000000\(seq)999},"clock":"synced",\
            "radio":{"reports":412,"beacons":10,"filtered":0,"malformed":0,"implausible":0,"dropped":0},\
            "sightings":[\(sightings)]}
            """
    }

    @Test("lint names the line of each fault, and the columns that are kept")
    func lint() throws {
        let good = try folder.write(Self.registry, to: "good.csv")
        let fine = try run("lint", good)
        #expect(fine.status == 0 && fine.lines.contains("\(good): 3 rows, no fault"))
        #expect(fine.lines.contains { $0.hasSuffix("are kept: shelf") })
        let bad = try folder.write(
            Self.registry + "\n\(Self.uuid),42,8,asset,,,\n\(Self.uuid),42,9,fixd,,,\n",
            to: "bad.csv")
        let faulty = try run("lint", bad)
        #expect(faulty.status == 1)
        #expect(
            faulty.lines.prefix(2) == [
                "\(bad):5: \(Self.uuid)/42/8 is there already, in line 3",
                "\(bad):6: kind must be one of fixed, gateway, staff, asset, visitor, not “fixd”;"
                    + " did you mean fixed?",
            ])
        let json = try run("lint", bad, "--json")
        #expect(json.status == 1)
        #expect(json.lines.first?.hasPrefix(#"{"line":5,"message":""#) == true)
        #expect(try run("list", bad).status == 2)
    }

    @Test("list prints the rows of a kind and a zone")
    func list() throws {
        let file = try folder.write(Self.registry, to: "beacons.csv")
        #expect(try run("list", file).lines.count == 4)
        #expect(try run("list", file, "--kind", "fixed", "--zone", "tills").lines.count == 2)
        let json = try run("list", file, "--json", "--kind", "visitor")
        #expect(
            json.lines == [
                #"{"uuid":"\#(Self.uuid)","major":42,"minor":"100-200","kind":"visitor","line":4}"#
            ])
    }

    @Test("diff of recorded messages ends with 3 if a beacon is missing")
    func diff() throws {
        let file = try folder.write(Self.registry, to: "beacons.csv")
        let messages = try folder.write(
            [Self.line(0, minors: [7, 9, 150]), Self.line(1, minors: [7, 9])]
                .joined(separator: "\n"), to: "messages.jsonl")
        let missing = try run("diff", file, "--input", messages)
        #expect(missing.status == 3)
        #expect(missing.lines.count == 4)
        #expect(missing.lines[1].hasPrefix("missing       \(Self.uuid)/42/8  fixed  till  tills"))
        #expect(missing.lines[2].contains("\(Self.uuid)/42/9"))
        #expect(missing.lines[2].contains("store-042/entry-1  -63       20"))
        #expect(
            missing.lines[3]
                == "1 missing, 1 unregistered, 0 absent, 1 heard; 1 of visitors, 0 of ranges of staff,"
                + " 0 foreign")
        let json = try run("diff", file, "--input", messages, "--json")
        #expect(json.status == 3 && json.lines.count == 4)
        #expect(json.lines.last?.contains(#""missing":1,"unregistered":1"#) == true)
        let all = try folder.write(
            [Self.line(0, minors: [7, 8]), "nonsense"].joined(separator: "\n"), to: "all.jsonl")
        let complete = try run("diff", file, "--input", all)
        #expect(complete.status == 0)
        #expect(complete.lines.contains { $0.contains("1 line of the input left out") })
        let other = try run("diff", file, "--input", all, "--site", "elsewhere")
        #expect(other.status == 1)
    }

    @Test("accept and retire change one row, say what has changed, and leave the file's mode")
    func edits() throws {
        let file = try folder.write(Self.registry, to: "beacons.csv")
        chmod(file, 0o640)
        let place = ["--place", "3.5,12", "--zone", "back", "--date", "2026-11-20"]
        let accepted = try run(["accept", file, "till"] + place)
        #expect(accepted.status == 0)
        #expect(
            accepted.lines.first
                == "\(file):3: till, \(Self.uuid)/42/8: since empty → 2026-11-20, zone tills → back,"
                + " x empty → 3.5, y empty → 12")
        let retired = try run("retire", file, "42/7", "--date", "2026-11-20", "--json")
        #expect(
            retired.lines == [
                #"{"kind":"change","line":2,"beacon":"\#(Self.uuid)/42/7","name":"entrance","changes":"#
                    + #"[{"column":"until","old":"","new":"2026-11-20"}]}"#
            ])
        #expect(
            try String(contentsOfFile: file, encoding: .utf8) == """
                uuid,major,minor,kind,name,zone,shelf,since,x,y,until
                \(Self.uuid),42,7,fixed,entrance,sales,A,,,,2026-11-20
                \(Self.uuid),42,8,fixed,till,back,B,2026-11-20,3.5,12,
                \(Self.uuid),42,100-200,visitor,,,,,,,
                """)
        var mode = stat()
        #expect(stat(file, &mode) == 0 && mode.st_mode & 0o777 == 0o640)
        let again = try run(["accept", file, "till"] + place)
        #expect(again.status == 0 && again.lines.first?.hasSuffix("nothing to change") == true)
    }

    @Test("a refused change names the cause, and leaves the file")
    func refusedEdits() throws {
        let file = try folder.write(Self.registry, to: "beacons.csv")
        let refusals = [
            (["retire", file, "entranse"], "beacon “entranse” is unknown; did you mean entrance?"),
            (["accept", file, "\(Self.uuid)/42/100-200"], "is of kind visitor"),
            (["accept", file, "till", "--place", "3"], "--place must be X,Y or X,Y,Z"),
            (["accept", file, "till", "--place", "3,a"], "y must be metres, not “a”; nothing"),
            (["accept", file, "till", "--date", "2999-01-31"], "is later than today"),
            (["accept", file, "till", "--date", "soon"], "since must be"),
            (["accept", file, "till", "--identity", "\(Self.uuid)/42/7"], "is there already"),
        ]
        for (arguments, words) in refusals {
            let refused = try run(arguments)
            #expect(refused.status == 2)
            #expect(refused.lines.contains { $0.contains(words) }, "\(refused.lines)")
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == Self.registry)
    }

    @Test("import of what was heard is a registry that diff finds complete")
    func importHeard() throws {
        let messages = try folder.write(
            [Self.line(0, minors: [7, 9]), Self.line(1, minors: [8])].joined(separator: "\n"),
            to: "messages.jsonl")
        let imported = try run("import", "--input", messages)
        #expect(imported.status == 0 && imported.lines.count == 4)
        #expect(imported.lines[1].hasPrefix("\(Self.uuid),42,7,fixed,"))
        let file = try folder.write(imported.lines.joined(separator: "\n"), to: "beacons.csv")
        #expect(try run("diff", file, "--input", messages).status == 0)
    }

    @Test(
        "wrong use names the cause",
        arguments: [
            (["lnt", "f"], "“lnt” is no action; did you mean lint?"), (["lint"], "FILE is missing"),
            (["import", "f", "--input", "g"], "either a FILE or --input"),
            (["list", "f", "--kind", "shelf"], "--kind must be one of fixed"),
            (["diff", "/nonexistent"], "No such file"),
            (["retire", "f"], "BEACON is missing: retire FILE BEACON"),
            (["lint", "f", "b"], "lint takes no BEACON"),
            (["lint", "f", "--work"], "leave out lint"),
            (["retire", "f", "b", "--place", "1,2"], "--place is for accept and label"),
            (["--work", "--follow"], "leave out --follow"),
            (["--input", "f"], "--input is for the actions diff and import"),
            (["--zone", "sales"], "--zone is for the actions list and accept"),
            (["retire", "f", "b", "--zone", "x"], "--zone is for list and accept, not for retire"),
        ])
    func wrongUse(arguments: [String], words: String) throws {
        let child = try ChildProcess(
            try #require(BuiltProgram.find("sightline")), ["beacons"] + arguments)
        #expect(child.waitForExit() == 2)
        #expect(child.lines.contains { $0.contains(words) }, "\(child.lines)")
    }

    private static func answer(_ status: String, _ json: String) -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: application/json\r\n\r\n\(json)"
    }

    private static func label(_ state: String, place: String = "null") -> String {
        """
        {"id":"0a","site":"s","beacon":"\(uuid)/42/7","name":"entrance","zone":"sales",\
        "from":1780000000000,"until":1780000060000,"state":"\(state)","x":\(place),"y":\(place)}
        """
    }

    @Test("label says to the server that a beacon stands in a zone, and waits for the end")
    func label() throws {
        let server = try WebReceiver([
            Self.answer("200 OK", #"{"sites":[{"site":"s"}]}"#),
            Self.answer("200 OK", Self.label("standing")),
            Self.answer("200 OK", #"{"labels":[\#(Self.label("learnt", place: "3.5"))]}"#),
        ])
        let token = try folder.write("secret\n", to: "token")
        let done = try run(
            "label", "entrance", "sales", "--place", "3.5,4.5", "--token-file", token, "--server",
            "http://127.0.0.1:\(server.port)/below")
        #expect(done.status == 0)
        #expect(done.lines.last == "entrance in sales: learnt at 3.5, 3.5, in metres")
        let requests = server.wait(for: 3)
        try #require(requests.count >= 2)
        #expect(requests[0].hasPrefix("GET /below/api/v1/sites HTTP/1.1\r\n"))
        #expect(requests[1].hasPrefix("POST /below/api/v1/sites/s/labels HTTP/1.1\r\n"))
        #expect(requests.allSatisfy { $0.contains("\r\nAuthorization: Bearer secret\r\n") })
        let body = #"{"beacon":"entrance","zone":"sales","seconds":60,"x":3.5,"y":4.5}"#
        #expect(requests[1].hasSuffix(body))
    }

    @Test("label lists and removes labels, and says why the server refuses one")
    func labels() throws {
        let refusal = #"{"detail":"A change needs a token."}"#
        let server = try WebReceiver([
            Self.answer("200 OK", #"{"labels":[\#(Self.label("learnt", place: "3.5"))]}"#),
            Self.answer("200 OK", Self.label("learnt")), Self.answer("401 Unauthorized", refusal),
            "nonsense",
        ])
        let options = ["--site", "s", "--server", "http://127.0.0.1:\(server.port)"]
        let list = try run(["label"] + options)
        #expect(list.status == 0 && list.lines.count == 2)
        #expect(list.lines[1].hasPrefix("0a  entrance  sales"))
        #expect(list.lines[1].hasSuffix("learnt  3.5, 3.5"))
        let removed = try run(["label", "--remove", "0a", "--json"] + options)
        #expect(removed.status == 0 && removed.lines == [Self.label("learnt")])
        let refused = try run(["label", "--remove", "0a"] + options)
        #expect(refused.status == 1)
        #expect(refused.lines.last?.contains("A change needs a token. Give it with") == true)
        let requests = server.wait(for: 3)
        try #require(requests.count >= 2)
        #expect(requests[1].hasPrefix("DELETE /api/v1/sites/s/labels/0a HTTP/1.1\r\n"))
        let other = try run(["label"] + options)
        #expect(other.status == 1 && other.lines.last?.hasSuffix("the answer is not HTTP") == true)
        #expect(try run("label", "entrance").status == 2)
        // Nothing listens there: a typo is found before.
        let nowhere = ["--server", "http://127.0.0.1:1"]
        for wrong in [["a", "b", "--place", "3"], ["--remove", "a b"], ["--site", "a b"]] {
            let answer = try run(["label"] + wrong + nowhere)
            #expect(answer.status == 2 && answer.lines.count == 1)
            #expect(answer.lines.first?.contains(" must be ") == true)
        }
        let away = try run(["label", "--site", "s"] + nowhere)
        #expect(away.status == 1)
        #expect(away.lines.last?.hasSuffix("is sightline-server running there?") == true)
        #expect(try run("label", "--server", "mqtt://b").status == 2)
    }
}
