extension JSON {
    /// This value after a merge patch (RFC 7396 section 2). Objects merge key by key, and `null`
    /// removes a key. Any other value replaces the present one.
    package func merging(_ patch: JSON) -> JSON {
        guard case .object(let changes) = patch else { return patch }
        var members: [Member] = []
        if case .object(let own) = self { members = own }
        for change in changes {
            let place = members.firstIndex { $0.key.hasSameBytes(as: change.key) }
            switch (place, change.value) {
            case (let place?, .null): members.remove(at: place)
            case (nil, .null): break
            case (let place?, let value):
                members[place] = Member(change.key, members[place].value.merging(value))
            case (nil, let value):
                // The patch applies to an absent value, so its removals have no effect.
                members.append(Member(change.key, JSON.null.merging(value)))
            }
        }
        return .object(members)
    }
}
