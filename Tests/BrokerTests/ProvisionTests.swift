import Foundation
import TestSupport
import Testing

extension BrokerTests {
    /// Usage errors of `packaging/sightline-provision`, and the files that it keeps.
    @Suite("provisioning")
    struct ProvisionTests {
        private let folder: TemporaryFolder
        private static let gateway = "made/gateways/s/g/sightlined.json"

        init() throws {
            folder = try TemporaryFolder()
            try folder.write("site,gateway\ns,g\n", to: "plan.csv")
            try folder.write("correct horse battery staple\n", to: "passphrase")
        }

        /// - Returns: its output and its exit code.
        private func provision(_ arguments: [String] = [], plan: String = "plan.csv") throws
            -> (said: String, code: Int32?)
        {
            let child = try ProvisionedBroker.provision(
                [
                    "--plan", folder.file(plan), "--output", folder.file("made"),
                    "--passphrase-file", folder.file("passphrase"),
                ]
                    + (arguments.contains("--broker") ? [] : ["--broker", "localhost"]) + arguments)
            let code = child.waitForExit()
            return (child.lines.joined(separator: "\n"), code)
        }

        struct Wrong: CustomTestStringConvertible {
            let arguments: [String]
            let words: String
            var testDescription: String { words }

            init(_ arguments: String, _ words: String) {
                self.arguments = arguments.split(separator: " ").map(String.init)
                self.words = words
            }
        }

        @Test(
            "a usage error is one sentence, and creates no file",
            arguments: [
                Wrong("--broker b:99999", "not 'b:99999'"),
                Wrong("--broker b:0", "not 'b:0'"),
                Wrong("--broker 10.0.0.999", "not '10.0.0.999'"),
                Wrong("--broker -x", "not '-x'"),
                Wrong("--days 0", "not '0'"),
                Wrong("--operator ..", "not '..'"),
                Wrong("--operator a --backend a", "not twice: 'a'"),
                Wrong("--home-assistant a --home-assistant b", "one user, not 2"),
                Wrong("--brokers b", "unknown option '--brokers'"),
                Wrong("--operator ca", "'ca' is reserved"),
                Wrong("--operator a --backend a.watch", "not twice: 'a.watch'"),
                Wrong("--renew", "takes no list"),
                Wrong("--csr nowhere", "not 'nowhere'"),
            ])
        func wrong(wrong: Wrong) throws {
            let (said, code) = try provision(wrong.arguments)
            #expect(code == 2)
            #expect(
                said.hasPrefix("sightline-provision: ") && said.contains(wrong.words), "\(said)")
            #expect(!said.contains("\n"))
            #expect(!FileManager.default.fileExists(atPath: folder.file("made")))
        }

        @Test(
            "a faulty plan is one sentence with its place",
            arguments: [
                ("site,gateway\n..,g\n", "plan.csv: line 2: site must be"),
                ("site,gateway\ns,g\ns,g\n", "plan.csv: line 3: s/g is there already, in line 2"),
                ("store,gateway\ns,g\n", "plan.csv: line 1: the column site is missing"),
                ("site,gateway\n", "has no gateway"),
                ("[{\"site\":", "plan.csv: "),
                ("site,gateway\ns,\u{0}\n", "not a text file"),
                ("[1]", "row 1: expected an object"),
            ])
        func plans(text: String, words: String) throws {
            try folder.write(text, to: "plan.csv")
            let (said, code) = try provision()
            #expect(code == 2)
            #expect(said.contains(words) && !said.contains("\n"), "\(said)")
        }

        @Test("a plan of sightline tune works as a list of gateways: quoted cells, blanks, JSON")
        func tunePlans() throws {
            try folder.write(
                "site, note , gateway\ns,\"a, b\",g\n", to: "plan.csv")
            try folder.write(
                #"[{"site":"s","gateway":"h"},{"site":"s","major":4}]"#, to: "plan.json")
            #expect(try provision().code == 0)
            #expect(try provision(plan: "plan.json").code == 0)
            let made = try FileManager.default.contentsOfDirectory(
                atPath: folder.file("made/gateways/s"))
            #expect(made.sorted() == ["g", "h"])
        }

        @Test("a missing key or certificate of the authority is an error")
        func authority() throws {
            #expect(try provision().code == 0)
            for name in ["ca.key", "ca.crt", "index.txt"] {
                try FileManager.default.moveItem(
                    atPath: folder.file("made/authority/\(name)"), toPath: folder.file(name))
                let (said, code) = try provision()
                #expect(code == 1)
                #expect(said.hasSuffix("\(name) is missing: restore it, or use another --output"))
                try FileManager.default.moveItem(
                    atPath: folder.file(name), toPath: folder.file("made/authority/\(name)"))
            }
            #expect(try provision().said.contains("1 gateway, 0 new certificates"))
            // A certificate of another authority is replaced.
            for name in ["authority", "ca.crt"] {
                try FileManager.default.removeItem(atPath: folder.file("made/\(name)"))
            }
            #expect(try provision().said.contains("1 gateway, 2 new certificates"))
        }

        @Test("a second run names users without access, and gateways with a new folder")
        func again() throws {
            #expect(try provision(["--operator", "alice", "--backend", "queue"]).code == 0)
            try folder.write("site,gateway\ns,g\ns,h\n", to: "plan.csv")
            let (said, code) = try provision(["--operator", "alice"])
            #expect(code == 0)
            #expect(said.contains("without access from now on: queue (name them"), "\(said)")
            #expect(said.contains("copy to their owners: s/h"), "\(said)")
            let quiet = try provision(["--operator", "alice"]).said
            #expect(!quiet.contains("without access") && !quiet.contains("copy"), "\(quiet)")
        }

        @Test(
            "an edited configuration is kept and named; an unedited one is replaced")
        func kept() throws {
            #expect(try provision().code == 0)
            #expect(try provision(["--broker", "other.example"]).code == 0)
            let made = try String(contentsOfFile: folder.file(Self.gateway), encoding: .utf8)
            #expect(made.contains("other.example"))
            try folder.write("{}", to: Self.gateway)
            let (said, code) = try provision()
            #expect(code == 0)
            #expect(said.contains("edited, therefore kept: sightlined.json of s/g"))
            #expect(try String(contentsOfFile: folder.file(Self.gateway), encoding: .utf8) == "{}")
        }
    }
}
