/// A queue whose `popFirst` moves no elements.
struct Queue<Element> {
    private var slots: [Element?] = []
    private var start = 0

    init(_ elements: [Element] = []) { slots = elements }

    var count: Int { slots.count - start }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : slots[start] }
    /// All elements, oldest first.
    var elements: [Element] { slots[start...].compactMap(\.self) }

    mutating func append(_ element: Element) { slots.append(element) }

    mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[start]
        // An empty slot keeps no memory.
        slots[start] = nil
        start += 1
        if isEmpty {
            self = Queue()
        } else if start > 32, start * 2 > slots.count {
            slots.removeFirst(start)
            start = 0
        }
        return element
    }
}
