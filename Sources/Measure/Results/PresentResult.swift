/// What is known of an item, such as a queue or a region, at present.
package protocol PresentItem: Sendable {
    static var kind: ResultKind { get }
    static var members: [ResultMember<PresentResult<Self>>] { get }
}

/// The retained result of an item: its present state.
package struct PresentResult<Item: PresentItem>: ResultDocument {
    package let site: String
    package let now: Item
    /// Rises with each publication of other contents.
    package let rev: Int
    /// Whether what follows from it survives a restart of the server.
    package let isDurable: Bool

    package init(site: String, _ now: Item, rev: Int, isDurable: Bool) {
        self.site = site
        self.now = now
        self.rev = rev
        self.isDurable = isDurable
    }

    package static var kind: ResultKind { Item.kind }
    package static var members: [ResultMember<PresentResult>] { Item.members }
}
