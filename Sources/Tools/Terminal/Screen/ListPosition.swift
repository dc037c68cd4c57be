/// The selected element of a list that changes, and the part of the list that a screen shows.
///
/// The selection follows its element. Without one, the first element is selected, and the list stays at its top.
package struct ListPosition<ID: Hashable> {
    package private(set) var selected: ID?
    /// The index of the selected element when it was last seen.
    private var index = 0
    /// The first element that is shown.
    private var first = 0

    package init() {}

    /// The index of the selection; `nil` in an empty list. The neighbour follows a removed element.
    package func index(in list: [ID]) -> Int? {
        guard !list.isEmpty else { return nil }
        guard let selected else { return 0 }
        return list.firstIndex(of: selected) ?? min(index, list.count - 1)
    }

    /// Moves the selection by `steps`.
    package mutating func move(by steps: Int, in list: [ID], height: Int) {
        guard let present = index(in: list) else { return }
        select(min(max(0, present + steps), list.count - 1), in: list, height: height)
    }

    package mutating func moveToStart() { self = ListPosition() }

    package mutating func moveToEnd(of list: [ID], height: Int) {
        if !list.isEmpty { select(list.count - 1, in: list, height: height) }
    }

    /// The elements that fit `height` lines, with the selected one.
    package func shown(of list: [ID], height: Int) -> Range<Int> {
        let height = min(max(0, height), list.count)
        guard height > 0, let selected = index(in: list) else { return 0..<0 }
        var start = min(first, list.count - height)
        if selected < start { start = selected }
        if selected >= start + height { start = selected - height + 1 }
        return start..<start + height
    }

    private mutating func select(_ new: Int, in list: [ID], height: Int) {
        index = new
        selected = new == 0 ? nil : list[new]
        first = shown(of: list, height: height).lowerBound
    }
}
