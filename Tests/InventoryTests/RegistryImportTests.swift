import Beacons
import Inventory
import Testing

@Suite struct RegistryImportTests {
    private static let uuid = "f7826da6-4fa2-4e98-8024-bc5b71e0893e"

    @Test(
        "exports of vendors become a registry without a fault",
        arguments: [
            // The members of Kontakt.io's devices.
            "uniqueId,deviceType,alias,proximity,major,minor,interval,txPower,namespace,instanceId",
            "Unique ID,Device Type,Alias,Proximity,Major,Minor,Interval,Tx Power,Namespace,Instance",
            // Of Estimote's.
            "identifier,hardware_type,name,proximity_uuid,major,minor,interval,power,a,b",
            "Identifier;Hardware;Name;UUID;Major;Minor;Advertising Interval;Power;A;B",
        ])
    func vendors(header: String) throws {
        let comma: Character = header.contains(";") ? ";" : ","
        let row = "qLmX;Tough;\"shelf 1; left\";\(Self.uuid);42;7;350;-12;f7826da6;beef"
        let bare = "qLmY;Tough;no iBeacon;;;;350;-12;f7826da6;beef"
        let text = [header, row, bare].map { line in
            line == header || comma == ";" ? line : line.replacing(";", by: comma)
        }.joined(separator: "\n")
        let imported = try RegistryImport(parsing: Array(text.utf8), kind: .fixed)
        #expect(imported.rows == 1)
        #expect(imported.faults.map(\.line) == [3])
        let registry = Registry(parsing: Array(imported.text.utf8))
        #expect(registry.faults == [])
        let beacon = try #require(registry.beacons.first)
        #expect(beacon.label == "\(Self.uuid)/42/7" && beacon.kind == .fixed)
        #expect(beacon.intervalMs == 350 && beacon.name?.hasPrefix("shelf 1") == true)
        #expect(registry.otherColumns.count == 5)
    }

    @Test("an export without a UUID says which columns it has")
    func without() {
        #expect(throws: Registry.Fault.self) {
            try RegistryImport(parsing: Array("mac,major,minor\n".utf8), kind: .fixed)
        }
    }

    @Test("cells with signs of CSV are read again")
    func quotes() throws {
        let cells = ["a,b", "say \"hi\"", "two\nlines", "plain", "a;b", ""]
        let text = RegistryText.csv([cells])
        #expect(text == "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",plain,\"a;b\",\n")
    }
}

extension String {
    /// Outside quotes.
    fileprivate func replacing(_ sign: Character, by other: Character) -> String {
        var isQuoted = false
        return String(
            map { character in
                if character == "\"" { isQuoted.toggle() }
                return character == sign && !isQuoted ? other : character
            })
    }
}
