"""Attributes of the user's objects and classes, as Python finds, sets and deletes them.

Descriptors and hooks (properties, ``__getattr__``, ``__setattr__``, ...) are called through the
runtime, which stages them. What an object from outside holds is captured when it is read; what the
function writes to it goes to an overlay (`gradsmith.frontend.effects`).
"""

from __future__ import annotations

import enum
import functools
import sys
import types
from collections.abc import Callable, Sequence
from functools import partial
from itertools import takewhile
from typing import Any, NoReturn

from gradsmith.errors import InternalError, UnsupportedError
from gradsmith.frontend import attribute_dicts
from gradsmith.frontend.attribute_dicts import note_owner
from gradsmith.frontend.cached_functions import check_cache_attribute
from gradsmith.frontend.calling import call
from gradsmith.frontend.captures import METHODS, capture, note_external, rely
from gradsmith.frontend.choices import choose
from gradsmith.frontend.classes import (
    DELETED,
    MISSING,
    class_attribute,
    has_methods,
    held_by_class,
    instance_attribute,
    instance_dict,
    is_instance,
    is_users_class,
    own_method,
    raw_attribute,
    special,
)
from gradsmith.frontend.container_calls import UNBOUND
from gradsmith.frontend.defined import is_made_function
from gradsmith.frontend.dispatch import check_at_root
from gradsmith.frontend.doubts import note_attribute
from gradsmith.frontend.effects import changed, delete_outside, set_global, write_outside
from gradsmith.frontend.failing import attribute_or_error
from gradsmith.frontend.journal import CONTAINERS, adopt, note_kind
from gradsmith.frontend.made_functions import users_code
from gradsmith.frontend.maybe_unset import (
    check_all_set,
    note_attributes_of,
    note_shown,
    optional_name,
)
from gradsmith.frontend.optional import value_of
from gradsmith.frontend.presence import check_optional, condition_on_the_way
from gradsmith.frontend.process_state import check_not_held, note_given, note_held
from gradsmith.frontend.redirected_output import check_output
from gradsmith.frontend.reflection import rely_on_attribute
from gradsmith.frontend.shared_memory import note_container_write
from gradsmith.frontend.spans import current_span
from gradsmith.frontend.text import Text
from gradsmith.frontend.trace import Reliance, Trace, handling
from gradsmith.frontend.traced_int import TracedInt
from gradsmith.frontend.tracer import Tracer
from gradsmith.frontend.unfollowed import check_change, holds_attributes, is_member_of_c
from gradsmith.frontend.unsettled import OWN, MaybeNone, MaybeUnset, Refusing, Unsettled
from gradsmith.identity import has_dict


def is_users(owner: Any) -> bool:
    """Whether it is an object of a class of the user's, or such a class."""
    return is_instance(owner) or (isinstance(owner, type) and is_users_class(owner))


def is_external(trace: Trace, owner: Any) -> bool:
    """Whether it is there before the function is called."""
    if id(owner) in trace.made or id(owner) in trace.opened:
        return False
    if isinstance(owner, types.ModuleType):
        root = owner.__name__.split(".")[0]
        known = root in ("numpy", "scipy", "gradsmith") or root in sys.stdlib_module_names
        return not known or root == "__main__"
    return id(owner) in trace.external or is_users(owner)


def home_of(owner: Any) -> Any:
    """What the overlay of a written attribute is kept for: a variable of a module is one thing,
    whether it is found as an attribute or as a global variable.
    """
    return vars(owner) if isinstance(owner, types.ModuleType) else owner


def _home_to_write(trace: Trace, owner: Any) -> Any:
    """The same where an attribute is about to be written: of a module its dict, which the function
    may not have found under another name.
    """
    if isinstance(owner, types.ModuleType):
        attribute_dicts.check_attribute_write(trace, owner)
        note_owner(trace, owner)
    return home_of(owner)


def read_attribute(trace: Trace, owner: Any, name: str) -> Any:
    """``owner.name``."""
    if isinstance(owner, super):
        return _of_super(trace, owner, name)
    if not is_users(owner):
        return of_library(trace, owner, name)
    if name in _NAMED and isinstance(owner, (type, types.FunctionType)):
        key, read = ("named", id(owner), name), partial(getattr, owner, name)
        trace.reliances.setdefault(key, Reliance(read, read(), by_identity=False))
    if is_external(trace, owner):
        note_external(trace, owner)
        if name == "__dict__" and not isinstance(owner, type) and instance_dict(owner) is not None:
            items = _items_as_attributes(trace, owner)
            return outside_dict(trace, owner) if items is None else items
    fallback: Any = special(owner, "__getattr__") or _of_another_class(owner)
    if fallback is None:
        return _own_or_error(trace, owner, name)
    try:
        with handling():
            return _own_or_error(trace, owner, name)
    except AttributeError:
        pass
    return call(fallback, owner, name)


_NAMED = ("__name__", "__qualname__", "__doc__", "__module__")
"""What a class or function tells of itself, which Python keeps outside of its dict."""


def of_library(trace: Trace, owner: Any, name: str) -> Any:
    """An attribute of an object of Python's, NumPy's or a library's, or of a module."""
    if name == "__closure__" and isinstance(owner, types.FunctionType):
        return _own_closure(trace, owner)
    if name == "__code__" and isinstance(owner, types.FunctionType):
        return users_code(owner.__code__)
    if not is_external(trace, owner):
        check_cache_attribute(owner, name)
        return note_held(trace, owner, getattr(owner, name))
    if name == "__dict__" and not isinstance(owner, (type, types.ModuleType)):
        return outside_dict(trace, owner)
    note_owner(trace, owner)
    return outside_attribute(trace, owner, name)


def _own_closure(trace: Trace, function: types.FunctionType) -> tuple[types.CellType, ...] | None:
    """The cells of the variables that the user's code closes over."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    own = tuple(cell for name, cell in cells if not name.startswith(OWN))
    if not is_made_function(trace, function):
        trace.external.update({id(cell): cell for cell in own})
    return own or None


def _own_or_error(trace: Trace, owner: Any, name: str) -> Any:
    """What ``__getattribute__`` gives."""
    hook = special(owner, "__getattribute__")
    if hook is not None:
        return call(hook, owner, name)
    found = default_attribute(trace, owner, name)
    return missing(owner, name) if found is MISSING else found


def _of_another_class(owner: Any) -> Any:
    """A ``__getattr__`` that is no function of the user's: ``__getattr__ = dict.get``."""
    found = class_attribute(type(owner), "__getattr__") if is_instance(owner) else MISSING
    if found is MISSING or not callable(found):
        return None
    return lambda owner, name: found.__get__(owner, type(owner))(name)


def outside_dict(trace: Trace, owner: Any) -> dict[str, Any]:
    """The attributes that an object from outside holds, which the next call must have, too."""
    known = trace.dicts.get(id(owner))
    if known is not None:
        return known
    names = _names_held(owner)
    key = ("names", id(owner))
    trace.reliances[key] = Reliance(partial(_names_held, owner), names, by_identity=False)
    written = {} if id(owner) not in trace.overlays else trace.overlays[id(owner)][1]
    found = {name: _held(trace, owner, name) for name in (*names, *written)}
    made = {name: value for name, value in found.items() if value is not MISSING}
    check_all_set(made)
    trace.dicts[id(owner)] = made
    adopt(made)
    return made


attribute_dicts.provide(outside_dict)


def _class_dict(trace: Trace, cls: type) -> types.MappingProxyType[str, Any]:
    """``cls.__dict__``: the methods and descriptors that it holds, and the values."""
    written = {} if id(cls) not in trace.overlays else trace.overlays[id(cls)][1]
    found = {**{name: own_method(held) for name, held in vars(cls).items()}, **written}
    if is_external(trace, cls):
        read = partial(_names_of_class, cls)
        reliance = Reliance(read, read(), by_identity=False)
        trace.reliances["names", id(cls)] = reliance
        values = [name for name, v in vars(cls).items() if not hasattr(type(v), "__get__")]
        plain = [name for name in values if name not in written and not name.startswith("__")]
        found.update({name: outside_attribute(trace, cls, name, found[name]) for name in plain})
    return types.MappingProxyType({n: v for n, v in found.items() if v is not DELETED})


def _names_of_class(cls: type) -> tuple[str, ...]:
    return tuple(vars(cls))


def _names_held(owner: Any) -> tuple[str, ...]:
    return tuple(instance_dict(owner) or ())


def _missing_attribute(owner: Any, name: str) -> AttributeError:
    """The error that Python raises where an attribute is missing."""
    try:
        missing(owner, name)
    except AttributeError as error:
        return error
    raise InternalError(f"no error about {name!r}")


def missing(owner: Any, name: str) -> NoReturn:
    """Raise the error that Python raises where an attribute is missing."""
    if isinstance(owner, type):
        text = f"type object {owner.__name__!r} has no attribute {name!r}"
    else:
        text = f"{type(owner).__name__!r} object has no attribute {name!r}"
    raise AttributeError(text, name=name, obj=owner)


def default_attribute(trace: Trace, owner: Any, name: str) -> Any:
    """``object.__getattribute__(owner, name)``, MISSING without an error."""
    if isinstance(owner, type):
        return _class_dict(trace, owner) if name == "__dict__" else _of_class(trace, owner, name)
    if name == "__dict__":
        note_shown(trace, instance_dict(owner))
    kind, is_written = _of_classes(trace, type(owner).__mro__, name)
    slot = isinstance(kind, types.MemberDescriptorType)
    if is_written and _is_data_descriptor(kind):
        return _bound_to(trace, owner, name, kind)
    if _is_data_descriptor(kind) and not slot:
        return _bound(trace, kind, owner, type(owner), name)
    held = _held(trace, owner, name)
    if held is MISSING and (kind is MISSING or slot):
        if is_external(trace, owner):
            rely(trace, ("absent", id(owner), name), partial(raw_attribute, owner, name), kind)
        else:
            class_attribute(type(owner), name)  # the next call must find none, either
    if isinstance(held, MaybeNone):
        return value_of(held, trace)
    if isinstance(held, MaybeUnset):
        return _where_set(trace, held, owner, kind)
    check_optional(optional_name(name), held, trace)
    if held is not MISSING or slot:
        return held
    return _of_its_class(trace, owner, name)


def plainly_held(trace: Trace, owner: Any, name: str) -> MaybeUnset | None:
    """What stands for an attribute that may not be set, or may be None, where nothing of its class
    takes its place and no method of the user's is asked.
    """
    if not is_users(owner) or isinstance(owner, type):
        return None
    hooks = special(owner, "__getattribute__") or special(owner, "__getattr__")
    if hooks is not None or _of_another_class(owner) is not None:
        return None
    kind, _ = _of_classes(trace, type(owner).__mro__, name)
    if kind is not MISSING and not isinstance(kind, types.MemberDescriptorType):
        return None
    held = _held(trace, owner, name)
    return held if isinstance(held, MaybeUnset) else None


def plainly_unset(trace: Trace, owner: Any, name: str) -> MaybeUnset | None:
    """The same of one that may not be set."""
    held = plainly_held(trace, owner, name)
    return None if isinstance(held, MaybeNone) else held


def _where_set(trace: Trace, held: MaybeUnset, owner: Any, kind: Any) -> Any:
    """An attribute that is not set on every path to this place."""
    name = held.name
    if kind is MISSING or isinstance(kind, types.MemberDescriptorType):
        return attribute_or_error(held, lambda: _missing_attribute(owner, name))
    present = condition_on_the_way(held, trace)
    return choose(present, lambda: held.value, lambda: _of_its_class(trace, owner, name))


def _of_its_class(trace: Trace, owner: Any, name: str) -> Any:
    """An attribute that the object itself does not hold."""
    kind, is_written = _of_classes(trace, type(owner).__mro__, name)
    if is_written:
        return _bound_to(trace, owner, name, kind)
    return MISSING if kind is MISSING else _bound(trace, kind, owner, type(owner), name)


def _of_classes(trace: Trace, mro: Sequence[type], name: str) -> tuple[Any, bool]:
    """What the first of these classes that has the attribute holds, not bound to anything, and
    whether the function has written it; MISSING where none has.
    """
    for base in mro:
        written = changed(trace, base, name)
        if isinstance(written, (Refusing, MaybeUnset)):
            written.refuse()
        if written is not MISSING and written is not DELETED:
            return written, True
        if name in vars(base) and written is not DELETED:
            return held_by_class(base, name), False
    return MISSING, False


_BINDING = (
    *(types.FunctionType, classmethod, staticmethod, property, functools.partialmethod),
    functools.cached_property,
)


def _holder(trace: Trace, cls: type, name: str) -> type | None:
    """The class that holds the attribute."""
    holding = (b for b in cls.__mro__ if _of_classes(trace, (b,), name)[0] is not MISSING)
    return next(holding, None)


def _bound_to(trace: Trace, owner: Any, name: str, written: Any) -> Any:
    """An attribute that the function has written to a class, as an instance finds it."""
    mine = special(written, "__get__")
    if mine is not None:
        return call(mine, written, owner, type(owner))
    if isinstance(written, property) and written.fget is not None:
        return call(written.fget, owner)
    if isinstance(written, functools.cached_property) and written.attrname:
        made = call(written.func, owner)
        store(trace, owner, written.attrname, made)
        return made
    plain = isinstance(written, _BINDING)
    return written.__get__(owner, type(owner)) if plain else written


def _bound_to_class(cls: type, written: Any) -> Any:
    """The same as the class itself finds it."""
    mine = special(written, "__get__")
    if mine is not None:
        return call(mine, written, None, cls)
    return written.__get__(None, cls) if isinstance(written, _BINDING) else written


def _is_data_descriptor(kind: Any) -> bool:
    return hasattr(type(kind), "__set__") or hasattr(type(kind), "__delete__")


def _held(trace: Trace, owner: Any, name: str) -> Any:
    """What the object itself holds: it may have been written by the function."""
    items = _items_as_attributes(trace, owner)
    if items is not None:
        return dict.get(items, name, MISSING)
    owner = _real_object(trace, owner)
    written = changed(trace, home_of(owner), name)
    if written is not MISSING:
        return MISSING if written is DELETED else written
    found = instance_attribute(owner, name)
    if found is MISSING or not is_external(trace, owner):
        return found
    return outside_attribute(trace, owner, name, found)


def _real_object(trace: Trace, owner: Any) -> Any:
    """The object that has the attributes: where a copy stands for a list or dict of a class of the
    user's, that from outside.
    """
    original = trace.originals.get(id(owner))
    copied = original is not None and isinstance(owner, CONTAINERS)
    return original.real if copied and original is not None else owner


def _items_as_attributes(trace: Trace, owner: Any) -> dict[str, Any] | None:
    """The dict whose items are the object's attributes, where that is the object itself
    (``self.__dict__ = self``): of one from outside, its copy.
    """
    if not isinstance(owner, dict):
        return None
    real = _real_object(trace, owner)
    if instance_dict(real) is not real:
        return None
    seen, _ = trace.seen.get(id(real), (owner, None))
    return seen if isinstance(seen, dict) else None


def _bound(trace: Trace, kind: Any, owner: Any, cls: type, name: str) -> Any:
    """What a class holds, as an object (or the class itself) finds it."""
    mine = special(kind, "__get__")
    if mine is not None:
        _rely_on_class(trace, cls if owner is None else owner, name, kind)
        return call(mine, kind, owner, cls)
    if isinstance(kind, property):
        return _of_property(trace, kind, owner, cls, name)
    if isinstance(kind, functools.cached_property) and owner is not None:
        _rely_on_class(trace, owner, name, kind)
        made = call(kind.func, owner)
        store(trace, owner, kind.attrname or name, made)
        return made
    if hasattr(type(kind), "__get__"):
        _rely_on_class(trace, cls if owner is None else owner, name, kind)
        return kind.__get__(owner, cls)
    holder = _holder(trace, cls, name)
    if owner is not None and is_external(trace, owner):
        _rely_on_absence(trace, owner, name)
    if holder is not None:
        trace.lookups.classes[id(cls)] = cls
        trace.lookups.note_nearer(cls.__mro__, holder, name, trace.made)
    written = MISSING if holder is None else changed(trace, holder, name)
    if written is not MISSING:
        return written
    if holder is None or not is_external(trace, holder):
        return kind
    return outside_attribute(trace, holder, name, vars(holder)[name])


def _of_property(trace: Trace, kind: property, owner: Any, cls: type, name: str) -> Any:
    if owner is None:
        return kind
    _rely_on_class(trace, owner, name, kind)
    if kind.fget is None:
        return kind.__get__(owner, cls)
    return call(kind.fget, owner)


def _rely_on_class(trace: Trace, owner: Any, name: str, kind: Any) -> None:
    """The next call must find the same method, property or descriptor."""
    cls = owner if isinstance(owner, type) else type(owner)
    trace.lookups.note_class(cls, name, trace.made)
    if cls is not owner and is_external(trace, owner) and not _is_data_descriptor(kind):
        _rely_on_absence(trace, owner, name)


def _rely_on_absence(trace: Trace, owner: Any, name: str) -> None:
    """The next call must find nothing in the object itself."""
    if instance_attribute(owner, name) is not MISSING:
        return  # which the function has deleted
    if isinstance(class_attribute(type(owner), name), types.MemberDescriptorType):
        rely(trace, ("absent", id(owner), name), partial(instance_attribute, owner, name), MISSING)
    else:
        trace.lookups.note_absent(owner, name)


def _of_class(trace: Trace, cls: type, name: str) -> Any:
    """An attribute of a class."""
    holder = _holder(trace, cls, name)
    if holder is type and _is_data_descriptor(vars(type)[name]):
        holder = None  # of a metaclass Python asks its own class first: `__name__`, `__mro__`
    if holder is not None:
        held, is_written = _of_classes(trace, (holder,), name)
        return _bound_to_class(cls, held) if is_written else _bound(trace, held, None, cls, name)
    trace.lookups.note_class(cls, name, trace.made)
    meta = class_attribute(type(cls), name)
    mine = special(meta, "__get__")
    if mine is not None:
        return call(mine, meta, cls, type(cls))
    if isinstance(meta, property) and meta.fget is not None:
        return call(meta.fget, cls)
    if meta is not MISSING and is_users_class(type(cls)) and not hasattr(type(meta), "__get__"):
        return _bound(trace, meta, None, type(cls), name)
    if any(changed(trace, base, name) is DELETED for base in cls.__mro__):
        return MISSING
    hooks = special(cls, "__getattr__") or special(cls, "__getattribute__")
    read = getattr if hooks is None else type.__getattribute__
    try:
        return read(cls, name)
    except AttributeError:
        return MISSING


def _of_super(trace: Trace, owner: Any, name: str) -> Any:
    """``super().name``: what the classes after this one hold."""
    this, instance, cls = owner.__thisclass__, owner.__self__, owner.__self_class__
    if cls is None or name == "__class__":
        return getattr(owner, name)
    after = cls.__mro__[cls.__mro__.index(this) + 1 :]
    written, is_written = _of_classes(trace, after, name)
    if is_written:
        at_class = instance is cls
        return (
            _bound_to_class(cls, written)
            if at_class
            else _bound_to(trace, instance, name, written)
        )
    kind: Any = MISSING
    for base in after:
        if name in vars(base):
            kind = held_by_class(base, name)
            at = None if instance is cls else instance
            users = isinstance(kind, property) or special(kind, "__get__") is not None
            if users and at is not None:
                trace.lookups.note_bases(after, name, trace.made)
                return _bound(trace, kind, at, cls, name)
            if not hasattr(type(kind), "__get__"):
                trace.lookups.note_nearer(after, base, name, trace.made)
                return _bound(trace, kind, None, base, name)
            break
    trace.lookups.note_bases(after, name, trace.made)
    if isinstance(kind, types.FunctionType):  # not what C code is to call instead of it
        return kind.__get__(None if instance is cls else instance, cls)
    return getattr(owner, name)


def outside_attribute(trace: Trace, owner: Any, name: str, value: Any = MISSING) -> Any:
    """An attribute of an object from outside: an array or a number becomes an input."""
    home = home_of(owner)
    written = changed(trace, home, name)
    if written is not MISSING:
        return missing(owner, name) if written is DELETED else written
    check_cache_attribute(owner, name)
    if value is MISSING:
        try:
            value = getattr(owner, name)
        except AttributeError:
            rely_on_attribute(trace, owner, name)
            raise
    if isinstance(value, types.ModuleType):
        _rely_on_module(trace, owner, name, value)
        return value
    if isinstance(value, METHODS) and value.__self__ is owner:
        return value
    if home is not owner and name in home:
        return capture(trace, ("global", id(home), name), name, value, lambda: home[name])
    return capture(trace, ("attribute", id(owner), name), name, value, _reader(owner, name))


def _rely_on_module(trace: Trace, owner: Any, name: str, module: types.ModuleType) -> None:
    """The next call must find this module; that a package keeps its own modules is taken for
    granted.
    """
    inner = isinstance(owner, types.ModuleType) and module.__name__ == f"{owner.__name__}.{name}"
    if not inner:
        rely(trace, ("attribute", id(owner), name), _reader(owner, name), module)


def _reader(owner: Any, name: str) -> Callable[[], Any]:
    """Reads an attribute at each call, past the hooks and descriptors of the user's class."""
    if isinstance(owner, type):
        hooked = special(owner, "__getattribute__")
        return partial(type.__getattribute__ if hooked else getattr, owner, name)
    if is_instance(owner):
        kind = class_attribute(type(owner), name)
        slot = isinstance(kind, types.MemberDescriptorType)
        if special(owner, "__getattribute__") or (_is_data_descriptor(kind) and not slot):
            return partial(instance_attribute, owner, name)
    return partial(getattr, owner, name)


# -- writing -------------------------------------------------------------------------------------


def set_attribute(trace: Trace, owner: Any, name: str, value: Any) -> None:
    """``owner.name = value``."""
    check_not_held(trace, owner)
    hook = _hook(owner, "__setattr__")
    if hook is not None:
        hook(owner, name, value)
    else:
        set_default(trace, owner, name, value)


def _hook(owner: Any, name: str) -> Callable[..., Any] | None:
    """``__setattr__`` or ``__delattr__`` of the user's class, which may be a method that is not
    written in Python (``__setattr__ = dict.__setitem__``); None where it is that of `object` or
    another class of Python's.
    """
    found = class_attribute(type(owner), name) if has_methods(owner) else MISSING
    if found is MISSING or (isinstance(found, UNBOUND) and found.__name__ == name):
        return None
    if isinstance(found, (types.FunctionType, *UNBOUND)):
        return partial(call, found)
    bound = found.__get__(owner, type(owner)) if hasattr(type(found), "__get__") else found
    return lambda _, *given: call(bound, *given)


def set_default(trace: Trace, owner: Any, name: str, value: Any) -> None:
    """``object.__setattr__(owner, name, value)``."""
    if name == "__class__":
        _become(trace, owner, value)
        return
    if isinstance(owner, type):
        check_class(owner, name, type.__setattr__, value)
    kind = _descriptor(trace, owner, name)
    mine = special(kind, "__set__")
    if mine is not None:
        call(mine, kind, owner, value)
    elif isinstance(kind, property):
        if kind.fset is None:
            kind.__set__(owner, value)  # which raises Python's error
        call(kind.fset, owner, value)
    elif _is_kept_by_c(kind):
        if not isinstance(owner, Tracer):
            check_change(trace, owner)
        if name == "__dict__":
            note_shown(trace, value)
        _set_in_c(owner, name, value)
    else:
        check_slots(owner, name, kind)
        store(trace, owner, name, value)


_IMMUTABLE = 1 << 8
"""The flag of classes of which no attribute can be set (``Py_TPFLAGS_IMMUTABLETYPE``)."""


def check_class(owner: type, name: str, change: Callable[..., None], *value: Any) -> None:
    """Raise Python's error about an attribute of a class that cannot be set or deleted."""
    if owner.__flags__ & _IMMUTABLE:
        change(owner, name, *value)
    if isinstance(owner, enum.EnumMeta) and name in vars(owner).get("_member_map_", {}):
        getattr(enum.EnumMeta, change.__name__)(owner, name, *value)


def _descriptor(trace: Trace, owner: Any, name: str) -> Any:
    """What the class of an object holds under the name of an attribute: of a class a metaclass of
    the user's, as `type` has none that matters here.
    """
    mro = type(owner).__mro__
    if isinstance(owner, type):
        mro = tuple(takewhile(lambda cls: cls is not type, mro))
    return _of_classes(trace, mro, name)[0]


def _set_in_c(owner: Any, name: str, value: Any) -> None:
    """``owner.name = value`` where C code keeps the attribute: of a traced integer it may need the
    present number.
    """
    try:
        setattr(owner, name, value)
    except TypeError as error:
        if isinstance(value, TracedInt):
            setattr(owner, name, TracedInt.known(value))
        elif isinstance(value, Text):
            setattr(owner, name, value.settled())
        elif isinstance(value, Tracer) and not isinstance(owner, Tracer):
            raise UnsupportedError(
                f"the attribute {name!r} of an object that is not written in Python is set to a "
                "traced value",
                current_span(),
                "hold it in a variable, or in an object of a class of your own",
            ) from error
        else:
            raise


def _is_kept_by_c(kind: Any) -> bool:
    """Whether setting the attribute is what a descriptor of Python's does."""
    slot = isinstance(kind, types.MemberDescriptorType)
    return is_member_of_c(kind) if slot else _is_data_descriptor(kind)


def _become(trace: Trace, owner: Any, kind: Any) -> None:
    """``owner.__class__ = kind``, which is Python's: a branch or loop gives no class."""
    if isinstance(kind, Unsettled):
        kind.refuse()
    if is_external(trace, owner):
        raise UnsupportedError(
            "an object from outside the function gets another class",
            current_span(),
            "make an object of that class in the function",
        )
    check_at_root(
        trace,
        "a traced value decides of which class an object is",
        "make another object, and give that to the variable",
    )
    note_kind(owner)
    object.__setattr__(owner, "__class__", kind)


def check_slots(owner: Any, name: str, kind: Any) -> None:
    """Python's error where the object has no place for the attribute."""
    if kind is MISSING and not has_dict(owner):
        raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}")


def store(trace: Trace, owner: Any, name: str, value: Any) -> None:
    """Let the object hold the value."""
    items = _items_as_attributes(trace, owner)
    if items is not None:
        call(dict.__setitem__, items, name, value)
        return
    owner = _real_object(trace, owner)
    if owner is sys and name in ("stdout", "stderr"):
        check_output(value)
    if _is_pythons(trace, owner, name, value):
        check_change(trace, owner)
        type.__setattr__(owner, name, value)
        return
    if isinstance(owner, types.ModuleType) and is_external(trace, owner):
        before = _before(trace, owner, name)
        set_global(trace, _home_to_write(trace, owner), name, value, before)
        return
    if is_external(trace, owner) or isinstance(owner, type):
        write_outside(trace, owner, name, value, _before(trace, owner, name))
        return
    if isinstance(owner, types.ModuleType) and id(owner) not in trace.made:
        note_given(trace, owner)
        check_not_held(trace, owner)
    if not holds_attributes(owner):
        check_change(trace, owner)
    note_container_write(trace, owner)
    note_attribute(owner, name)
    note_attributes_of(trace, owner, name)
    write = object.__setattr__ if is_instance(owner) else setattr
    write(owner, name, value)


def _is_pythons(trace: Trace, owner: Any, name: str, value: Any = None) -> bool:
    """Whether it is an attribute of a class which Python itself looks up, past what an overlay
    holds: a special method, or a descriptor that is asked before the attributes of the object.
    """
    if not isinstance(owner, type):
        return False
    held = _of_classes(trace, (owner,), name)[0]
    special = name.startswith("__") and name.endswith("__")
    if is_external(trace, owner):
        return special and (callable(value) or callable(held))
    return special or _is_data_descriptor(value) or _is_data_descriptor(held)


def _before(trace: Trace, owner: Any, name: str) -> Any:
    """What an object from outside holds before it is written."""
    if (written := changed(trace, home_of(owner), name)) is not MISSING:
        return MISSING if written is DELETED else written
    if isinstance(owner, type):
        held = held_by_class(owner, name)
    elif is_instance(owner):
        held = instance_attribute(owner, name)
    else:
        held = getattr(owner, name, MISSING)
    if held is MISSING or not is_external(trace, owner):
        return held
    return outside_attribute(trace, owner, name, held)


def delete_attribute(trace: Trace, owner: Any, name: str) -> None:
    """``del owner.name``."""
    hook = _hook(owner, "__delattr__")
    if hook is not None:
        hook(owner, name)
    else:
        delete_default(trace, owner, name)


def delete_default(trace: Trace, owner: Any, name: str) -> None:
    """``object.__delattr__(owner, name)``."""
    if isinstance(owner, type):
        check_class(owner, name, type.__delattr__)
    kind = _descriptor(trace, owner, name)
    mine = special(kind, "__delete__")
    if mine is not None:
        call(mine, kind, owner)
    elif isinstance(kind, property):
        if kind.fdel is None:
            kind.__delete__(owner)  # which raises Python's error
        call(kind.fdel, owner)
    elif (items := _items_as_attributes(trace, owner)) is not None and name in items:
        call(dict.__delitem__, items, name)
    elif is_external(trace, owner := _real_object(trace, owner)) or isinstance(owner, type):
        held = _own(trace, owner, name)
        if held is MISSING:
            missing(owner, name)
        if type(held) is MaybeUnset:
            attribute_or_error(held, lambda: _missing_attribute(owner, name))
        if _is_pythons(trace, owner, name):
            check_change(trace, owner)
            type.__delattr__(owner, name)
            return
        delete_outside(trace, _home_to_write(trace, owner), name, _before(trace, owner, name))
    else:
        if _is_kept_by_c(kind) or not holds_attributes(owner):
            check_change(trace, owner)
        delete_made(trace, owner, name)


def delete_made(trace: Trace, owner: Any, name: str) -> None:
    """Delete an attribute of an object that the function has made."""
    note_container_write(trace, owner)
    note_attribute(owner, name, deleted=True)
    note_attributes_of(trace, owner, name)
    held = instance_attribute(owner, name)
    if type(held) is MaybeUnset:
        attribute_or_error(held, lambda: _missing_attribute(owner, name))
    object.__delattr__(owner, name)


def _own(trace: Trace, owner: Any, name: str) -> Any:
    """What an object or a class holds itself."""
    if isinstance(owner, type):
        return _of_classes(trace, (owner,), name)[0]
    return _held(trace, owner, name)


def is_own_attribute(name: str) -> bool:
    """Whether an object that stands for another one in statements has this attribute itself."""
    return name.startswith("_gs_") or name == "__class__"


class Attributes:
    """What is written to where the user writes ``owner.name = value``."""

    __slots__ = ("_gs_owner", "_gs_trace")

    def __init__(self, trace: Trace, owner: Any) -> None:
        object.__setattr__(self, "_gs_trace", trace)
        object.__setattr__(self, "_gs_owner", owner)

    def __getattribute__(self, name: str) -> Any:
        if is_own_attribute(name):
            return object.__getattribute__(self, name)
        return read_attribute(self._gs_trace, self._gs_owner, name)

    def __setattr__(self, name: str, value: Any) -> None:
        set_attribute(self._gs_trace, self._gs_owner, name, value)

    def __delattr__(self, name: str) -> None:
        delete_attribute(self._gs_trace, self._gs_owner, name)
