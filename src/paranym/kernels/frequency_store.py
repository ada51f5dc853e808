"""A ring of frequency sets in flat memory: the newest push out the oldest."""

from typing import NamedTuple

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Ints
from paranym.kernels.rollup import Counted

OLDEST, HELD, TUPLES_HEAD, ENTRIES_HEAD = range(4)


class Store(NamedTuple):
    """Frequency sets of evaluated nodes, kept to roll other nodes up from."""

    words: Ints
    counts: Ints
    owners: Codes
    columns: Codes
    amounts: Ints
    levels: Ints
    """(slots, attributes): the node held in each slot."""
    spans: Ints
    """(slots, 4): first tuple, tuples, first entry, entries."""
    state: Ints
    """The oldest slot, how many slots are held, and where the next tuple and entry go."""


@jit
def smallest_below(store: Store, levels: Ints, bound: int) -> int:
    """The slot with the fewest tuples, fewer than `bound`, whose node lies at or below `levels`; -1 if none."""
    slots = len(store.spans)
    best = -1
    slot = store.state[OLDEST] + store.state[HELD]
    for _ in range(store.state[HELD]):
        slot -= 1
        place = slot if slot < slots else slot - slots
        if store.spans[place, 1] < bound and _covered(store.levels[place], levels):
            best = place
            bound = store.spans[place, 1]
    return best


@jit
def _covered(lower: Ints, upper: Ints) -> bool:
    for j in range(len(lower)):
        if lower[j] > upper[j]:
            return False
    return True


@jit
def fetch(store: Store, words: int, slot: int) -> Counted:
    """The frequency set in `slot`, as views into the ring."""
    first, tuples, entry, entries = store.spans[slot]
    return _view(store, words, first, tuples, entry, entries)


@jit
def keep(store: Store, levels: Ints, words: int, rolled: Counted, tuples: int, entries: int) -> None:
    """Copy the set of node `levels` into the ring, unless it would take more than a quarter of it."""
    if 4 * tuples > len(store.counts) or 4 * entries > len(store.amounts):
        return
    first = _make_room(store, tuples, len(store.counts), TUPLES_HEAD)
    entry = _make_room(store, entries, len(store.amounts), ENTRIES_HEAD)
    if store.state[HELD] == len(store.spans):
        _drop_oldest(store)
    room = _view(store, words, first, tuples, entry, entries)
    room.words[:] = rolled.words[: tuples * words]
    room.counts[:] = rolled.counts[:tuples]
    room.owners[:] = rolled.owners[:entries]
    room.columns[:] = rolled.columns[:entries]
    room.amounts[:] = rolled.amounts[:entries]
    slot = (store.state[OLDEST] + store.state[HELD]) % len(store.spans)
    store.levels[slot] = levels
    store.spans[slot] = (first, tuples, entry, entries)
    store.state[HELD] += 1
    store.state[TUPLES_HEAD] = first + tuples
    store.state[ENTRIES_HEAD] = entry + entries


@jit
def _view(store: Store, words: int, first: int, tuples: int, entry: int, entries: int) -> Counted:
    return Counted(
        store.words[first * words : (first + tuples) * words],
        store.counts[first : first + tuples],
        store.owners[entry : entry + entries],
        store.columns[entry : entry + entries],
        store.amounts[entry : entry + entries],
    )


@jit
def _make_room(store: Store, need: int, capacity: int, head: int) -> int:
    """Drop the oldest sets until `need` places in a row are free; return the first of them."""
    side = 0 if head == TUPLES_HEAD else 2
    place = int(store.state[head])
    if place + need > capacity:
        while store.state[HELD] > 0 and store.spans[store.state[OLDEST], side] >= place:
            _drop_oldest(store)
        place = 0
    while store.state[HELD] > 0 and need > 0:
        start = store.spans[store.state[OLDEST], side]
        if start < place or start >= place + need:
            break
        _drop_oldest(store)
    return place


@jit
def _drop_oldest(store: Store) -> None:
    store.state[OLDEST] = (store.state[OLDEST] + 1) % len(store.spans)
    store.state[HELD] -= 1
