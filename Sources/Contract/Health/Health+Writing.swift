import JSON

extension Health {
    /// The message's bytes.
    package var encoded: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("v", .integer(1))
            writer.member("session", .string(session))
            writer.put(Self.general, of: self)
            for section in Self.sections {
                writer.member(section.name) { $0.put(section.members, of: self) }
            }
        }
        return writer.bytes
    }
}

extension JSONWriter {
    fileprivate mutating func put(_ members: [HealthMember], of health: Health) {
        for member in members {
            switch member.value(health) {
            case .unsigned(let number): self.member(member.name, number)
            case .signed(let number): self.member(member.name, number)
            case .decimal(let number): self.member(member.name, .hundredths(number))
            case .flag(let flag): self.member(member.name, .bool(flag))
            case .text(let text): self.member(member.name, .string(text))
            case nil: break
            }
        }
    }
}

extension JSON {
    /// A number with two decimals at most, without zeros at its end, and never “−0”.
    fileprivate static func hundredths(_ value: Double) -> JSON {
        let scaled = value.magnitude < 1e15 ? value * 100 : 0
        let hundredths = Int64(scaled + (scaled < 0 ? -0.5 : 0.5))
        return hundredths.isMultiple(of: 100)
            ? .integer(hundredths / 100) : .number(Double(hundredths) / 100)
    }
}
