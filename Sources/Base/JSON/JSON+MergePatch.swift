extension JSON {
    /// What a merge patch makes of this value: objects are merged key by key, `null` removes a key, and everything else
    /// takes the place of what was there (RFC 7396 section 2).
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
                // A patch of nothing: what it removes was not there.
                members.append(Member(change.key, JSON.null.merging(value)))
            }
        }
        return .object(members)
    }
}
