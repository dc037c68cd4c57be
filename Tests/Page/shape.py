"""The shape of JSON documents: which members an object has, and which kinds of values."""

import collections

KINDS = {dict: "object", list: "list", str: "text", bool: "truth", int: "number", float: "number"}


class Shape:
    """What has been seen at each place of some documents. A place is a path of names; `[]` stands for the items of a list."""

    def __init__(self):
        self.members = collections.defaultdict(set)
        self.kinds = collections.defaultdict(set)

    def see(self, value, place):
        if value is None:
            return
        self.kinds[place].add(KINDS[type(value)])
        if isinstance(value, dict):
            self.members[place] |= set(value)
            for name, member in value.items():
                self.see(member, f"{place}.{name}")
        for item in value if isinstance(value, list) else []:
            self.see(item, f"{place}[]")

    def differences(self, other, optional):
        """Places that both have seen, where members or kinds differ. `optional` members may be absent."""
        found = []
        for place in sorted(set(self.kinds) & set(other.kinds)):
            if self.kinds[place] != other.kinds[place]:
                found.append(f"{place}: {sorted(self.kinds[place])}, not {sorted(other.kinds[place])}")
            lacks = other.members[place] - self.members[place] - optional
            adds = self.members[place] - other.members[place] - optional
            found += [f"{place} lacks {name}" for name in sorted(lacks)] + [f"{place} has {name}, which the server does not know" for name in sorted(adds)]
        return found

    def unseen(self, other):
        """Objects that the other has seen and this has not."""
        return sorted(place for place in other.members if place not in self.members)
