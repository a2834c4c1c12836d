"""Stacked lists of which elements are replaced: ``hs[i] = h``, where ``h`` is an array.

The store copies ``h`` into the array that has the elements as its rows (`Storage.replaced`).
Python keeps ``h`` itself, and those who have the old element keep that. Nobody can see a
difference as long as no array that is, was or may be an element is written to in place. So

- an element that is read is a value of its own, and no view of the rows: it stays what it is when
  another one takes its place;
- what has been stored, or may be such an array, is linked to the rows (`Storage.doubt`). A write
  to it outdates them, which asks for a trace in which the list has separate elements;
- what a branch or a loop makes of such arrays is locked.

Which lists these are is known from an earlier trace (`Need.REPLACED`), because an element
may be read before one is stored.
"""

from __future__ import annotations

from typing import Any

from gradsmith.frontend.frozen import NONE, WRITTEN, Sites, lock, separate
from gradsmith.frontend.storage import Storage, View, outdatings
from gradsmith.frontend.trace import current_trace
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unsettled import Need
from gradsmith.ir.graph import Node
from gradsmith.ops.index import getitem, index_set


def is_stored_into(sites: Sites) -> bool:
    """Whether elements of lists that these loops make are replaced."""
    trace = current_trace()
    return trace is not None and not sites.isdisjoint(trace.learned.needs.get(Need.REPLACED, ()))


def storage_of(part: Any) -> Storage | None:
    """The buffer that an array is a view of."""
    is_array = isinstance(part, Tracer) and part.type.form == "array"
    return part.view.storage if is_array else None


def snapshot(rows: Tracer) -> Tracer:
    """What ``rows`` show now, which stores into the list they are of do not change."""
    if not rows.view.storage.replaced:
        return rows
    stored = _just_stored(rows)
    node = rows.node if stored is None else stored
    made = Tracer(View(Storage(node, order=rows.view.storage.order)))
    if made.type.form == "array":
        lock_element(made.view.storage, rows.view.storage.sites)
    return made


def _just_stored(rows: Tracer) -> Node | None:
    """What the latest store has put there, if these are the rows that it went to."""
    store, path = rows.view.storage.node, rows.view.path
    if len(path) != 1 or store.op is not index_set or path[0].op is not getitem:
        return None
    by_numbers = len(store.inputs) == 2 and len(path[0].inputs) == 1
    if not by_numbers or store.attrs != path[0].attrs:
        return None
    stored, row = store.inputs[1].array_type, path[0].array_type
    alike = (stored.dtype, stored.ndim, stored.form) == (row.dtype, row.ndim, row.form)
    return store.inputs[1] if alike else None  # lists store what has the shape of a row


def lock_element(storage: Storage, sites: Sites) -> None:
    """Refuse writes to what is, or has as its rows, copies of elements of lists."""
    storage.element = True
    lock(storage, sites)


def element_sites(storage: Storage | None) -> Sites:
    """The loops that made the lists of which this array may be an element, if these are such that
    it must not be written to.
    """
    if storage is None:
        return NONE
    found = storage.family(lambda _: True)
    return NONE.union(*[one.sites for one in found if one.element or one.replaced])


def lock_as(storage: Storage | None, *sources: Storage | None) -> None:
    """The array may be one of the ``sources``: where these must not be written to, it must not
    either.
    """
    sites = NONE.union(*map(element_sites, sources))
    if storage is not None and sites:
        lock_element(storage, sites)


def _check_not_replaced(storage: Storage) -> None:
    if storage.replaced:
        separate(storage.sites, WRITTEN, "copy the array before it is written to: y = x.copy()")


outdatings.append(_check_not_replaced)


def rows_of_another(rows: Tracer) -> Tracer:
    """The same rows for another list: stores into one of the two do not change the other."""
    old = rows.view.storage
    made = Tracer(View(Storage(rows.node, order=None if rows.view.path else old.order)))
    storage = made.view.storage
    storage.sites, storage.types, storage.replaced = old.sites, old.types, old.replaced
    return made
