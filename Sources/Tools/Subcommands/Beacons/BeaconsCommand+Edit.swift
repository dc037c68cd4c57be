import Inventory
import JSON
import Posix
import Primitives
import Terminal

// Changes of one row of the registry.
extension BeaconsCommand {
    /// The new place or identity of a beacon is right: the server learns it from the row's new beginning on.
    private func accepted(_ row: RegisteredBeacon) throws(Unusable) -> [(String, String)] {
        guard row.kind.isExpected else {
            throw Unusable(
                sentence:
                    "\(row.label) is of kind \(row.kind.rawValue): servers watch no place of it")
        }
        let since = invocation["date"] ?? today.name
        if let until = row.until, until < since {
            throw Unusable(
                sentence: "\(name):\(row.line): \(row.label) is retired; empty its until, "
                    + "\(until), to use it again")
        }
        var values = [("since", since)]
        if let zone = invocation["zone"] { values.append(("zone", zone)) }
        if let place = invocation["place"] {
            let parts = place.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init)
            guard (2...3).contains(parts.count) else {
                throw Unusable(
                    sentence: "--place must be X,Y or X,Y,Z in metres, not “\(place.printable())”")
            }
            values += zip(["x", "y", "z"], parts).map { ($0, $1) }
        }
        if let identity = invocation["identity"] {
            let parts = identity.split(separator: "/", omittingEmptySubsequences: false)
            guard parts.count == 3 else {
                throw Unusable(
                    sentence: "--identity must be UUID/MAJOR/MINOR, not “\(identity.printable())”")
            }
            values += zip(["uuid", "major", "minor"], parts.map(String.init)).map { ($0, $1) }
        }
        return values
    }

    /// The beacon is in use no more.
    private func retired(_ row: RegisteredBeacon) -> [(String, String)] {
        let yesterday = LocalDay(containing: today.span.lowerBound - .seconds(1))
        // A row holds for a day at least.
        let date = invocation["date"] ?? max(yesterday.name, row.since ?? "")
        return [("until", date)]
    }

    /// That of servers, which begins at 04:00.
    private var today: LocalDay { LocalDay(containing: .now) }

    private func row(in registry: Registry) throws(Unusable) -> RegisteredBeacon {
        let word = invocation.operands.last ?? ""
        do throws(Registry.Unnamed) {
            return try registry.row(of: word, on: today.name)
        } catch {
            let place = "\(name): beacon “\(word.printable())”"
            switch error {
            case .unknown(let words):
                throw Unusable(
                    sentence: UnknownName.sentence(place, nearest: word, among: words))
            case .several(let labels):
                throw Unusable(
                    sentence: "\(place) is the name of several: \(labels.firstFew)")
            }
        }
    }

    /// Changes the row of a beacon.
    func edit(
        isAccepted: Bool, to output: inout StandardOutput
    ) throws(Unusable) -> ExitCode {
        guard path != PlanFile.standardInput else {
            throw Unusable(sentence: "the change needs the path of a file, not standard input")
        }
        // No other change comes between reading and writing.
        let change: FileEdit
        do throws(Errno) { change = try FileEdit(of: path) } catch {
            throw Unusable(sentence: "\(name): can't be read: \(error)")
        }
        let file = try contents()
        guard let registry = faultless(Registry(parsing: file)) else { return .wrongUse }
        let row = try row(in: registry)
        let values = isAccepted ? try accepted(row) : retired(row)
        let edit: RegistryEdit
        do throws(Registry.Fault) {
            edit = try RegistryEdit(file, line: row.line, values)
        } catch {
            throw Unusable(
                sentence: "\(name):\(error.line): \(error.sentence); nothing is changed")
        }
        if isAccepted, let date = invocation["date"], date > today.name {
            throw Unusable(
                sentence: "--date \(date) is later than today, \(today.name): until then, no row"
                    + " would watch the beacon; accept it on that day")
        }
        if !edit.changes.isEmpty {
            do throws(Errno) {
                let mark = TextFile.mark
                let start = try File.contents(of: path, maxBytes: mark.count).prefix(mark.count)
                try change.replace(with: (Array(start) == mark ? mark : []) + edit.bytes)
            } catch {
                throw Unusable(
                    sentence: "\(name): "
                        + (error == .notPermitted
                            ? "its owner and group can't be kept: run this as root"
                            : "can't be written: \(error)"),
                    status: .failed)
            }
        }
        output.write(
            invocation.has("json")
                ? json(row, edit.changes).text + "\n" : text(row, edit.changes))
        return .done
    }

    private func text(_ row: RegisteredBeacon, _ changes: [RegistryEdit.Change]) -> String {
        let beacon = (row.name.map { "\($0.printable()), " } ?? "") + row.label
        guard !changes.isEmpty else {
            return "\(name):\(row.line): \(beacon): nothing to change\n"
        }
        let cells = changes.map { change in
            let values = [change.old, change.new].map { $0.isEmpty ? "empty" : $0.printable() }
            return "\(change.column) \(values.joined(separator: " → "))"
        }
        return "\(name):\(row.line): \(beacon): \(cells.joined(separator: ", "))\n"
            + "A server takes it over with 'systemctl reload sightline-server'.\n"
    }

    private func json(_ row: RegisteredBeacon, _ changes: [RegistryEdit.Change]) -> JSON {
        .object([
            .init("kind", "change"), .init("line", .integer(Int64(row.line))),
            .init("beacon", .string(row.label)),
            .init("name", row.name.map { .string($0) } ?? .null),
            .init(
                "changes",
                .array(
                    changes.map {
                        [
                            "column": .string($0.column), "old": .string($0.old),
                            "new": .string($0.new),
                        ]
                    })),
        ])
    }
}
