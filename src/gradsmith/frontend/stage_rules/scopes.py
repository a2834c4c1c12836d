"""Which names belong to the function being staged, and which come from outside."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from gradsmith.frontend.enclose import FunctionNode

Comprehension: TypeAlias = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of one function, lambda or comprehension in the tree that is staged."""

    bound: frozenset[str]
    parent: Scope | None = None
    globals: frozenset[str] = frozenset()
    nonlocals: frozenset[str] = frozenset()
    comprehension: bool = False
    generator: bool = False  # a comprehension that is a function of its own in every Python
    given: frozenset[str] = frozenset()
    """Those that are set when the function begins."""
    first: str | None = None
    """The first parameter of the function."""
    home: str | None = None
    """The variable that keeps where its own are set, if functions inside set any of them."""
    shared: tuple[str, ...] = ()
    """Those of its own that functions inside set."""
    rebound: frozenset[str] = frozenset()
    """Those of its own that it sets itself in other places than its top level."""
    set_by_methods: tuple[str, ...] = ()
    """Those among these that methods of classes in it set."""
    is_class: bool = False
    """Whether they are the names of a class, which functions in it do not see."""

    def home_of(self, name: str) -> str | None:
        """The `home` of the staged function around whose variable ``name`` is stored here."""
        owner = self.owner_of(name)
        return None if owner is None else owner.home

    def owner_of(self, name: str) -> Scope | None:
        """The scope of that function."""
        if self.comprehension and self.parent is not None:
            return self.parent.owner_of(name)
        scope = self.parent if name in self.nonlocals else None
        while scope is not None and (scope.is_class or name not in scope.bound):
            scope = scope.parent
        return scope

    def outside(self, name: str) -> bool:
        """Whether ``name``, read here, is a global, a builtin or a variable from outside."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.bound and (scope is self or not scope.is_class):
                return False
            if name in scope.globals:
                return True
            scope = scope.parent
        return True

    def effect(self, name: str) -> str | None:
        """How storing ``name`` here changes the world outside: "global", "nonlocal" or not."""
        if self.comprehension and self.parent is not None:  # for `:=`, which binds in the function
            return self.parent.effect(name)
        if name in self.globals:
            return "global"
        beyond = name in self.nonlocals and (self.parent is None or self.parent.outside(name))
        return "nonlocal" if beyond else None


def function_scope(node: FunctionNode, parent: Scope | None) -> Scope:
    """The scope of a function's body."""
    # Python 3.12's `def f[T](x)`: not quite a variable of the function, but none from outside.
    types = [p.name for p in getattr(node, "type_params", ())]
    given = frozenset([*_parameters(node.args), *types])
    names = Names(bound=set(given))
    names.collect([node.body] if isinstance(node, ast.Lambda) else node.body)
    bound = frozenset(names.bound - names.globals - names.nonlocals)
    declared = (n.names for n in ast.walk(node) if isinstance(n, ast.Nonlocal))
    shared = bound.intersection(name for names in declared for name in names)
    home = f"__gs_home_{_depth(parent)}" if shared else None
    shared_with = frozenset(names.globals), frozenset(names.nonlocals)
    rebound = frozenset[str]()
    if home is not None and not isinstance(node, ast.Lambda):
        inner = [s for s in node.body if not isinstance(s, (ast.Assign, ast.AnnAssign))]
        rebound = frozenset(names_in(inner).bound)
    arguments = [*node.args.posonlyargs, *node.args.args]
    return Scope(
        bound,
        parent,
        *shared_with,
        given=given,
        first=arguments[0].arg if arguments else None,
        home=home,
        shared=tuple(sorted(shared)),
        rebound=rebound,
        set_by_methods=tuple(sorted(rebound & _set_by_methods(node))) if rebound else (),
    )


def class_scope(parent: Scope) -> Scope:
    """The scope of a class body in which nothing has been set yet."""
    return Scope(frozenset(), parent, is_class=True)


def _set_by_methods(node: FunctionNode) -> set[str]:
    """The variables of enclosing functions that what is in the classes inside declares."""
    classes = [inner for inner in ast.walk(node) if isinstance(inner, ast.ClassDef)]
    within = (inner for cls in classes for inner in ast.walk(cls))
    return {name for inner in within if isinstance(inner, ast.Nonlocal) for name in inner.names}


def _depth(scope: Scope | None) -> int:
    return 0 if scope is None else 1 + _depth(scope.parent)


def names_in(statements: Iterable[ast.AST]) -> Names:
    """The names that statements bind or declare."""
    names = Names()
    names.collect(statements)
    return names


def comprehension_scope(node: Comprehension, parent: Scope) -> Scope:
    """The scope of a comprehension, in which all but its first iterable is evaluated."""
    targets = [clause.target for clause in node.generators]
    generator = isinstance(node, ast.GeneratorExp)
    bound = frozenset(stored_names(targets))
    first = parent.first
    return Scope(bound, parent, comprehension=True, generator=generator, first=first)


def stored_names(targets: Iterable[ast.expr]) -> list[str]:
    """The variables that assigning to ``targets`` binds, each once, in order."""
    found: dict[str, None] = {}
    stack = list(targets)[::-1]
    while stack:
        target = stack.pop()
        if isinstance(target, ast.Name):
            found[target.id] = None
        elif isinstance(target, ast.Starred):
            stack.append(target.value)
        elif isinstance(target, (ast.Tuple, ast.List)):
            stack += target.elts[::-1]
    return list(found)


def _parameters(arguments: ast.arguments) -> list[str]:
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return [a.arg for a in (*given, arguments.vararg, arguments.kwarg) if a is not None]


@dataclass(slots=True)
class Names:
    """The names that a function's statements bind or declare."""

    bound: set[str] = field(default_factory=set)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    def collect(self, nodes: Iterable[ast.AST]) -> None:
        """Add what ``nodes`` bind, without recursion: expressions can be deep."""
        stack = list(nodes)
        while stack:
            node = stack.pop()
            binder = _BINDERS.get(type(node))
            if binder is None:
                stack += ast.iter_child_nodes(node)
            else:
                stack += binder(self, node)

    def name(self, node: ast.Name) -> Iterable[ast.AST]:
        if not isinstance(node.ctx, ast.Load):
            self.bound.add(node.id)
        return ()

    def definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterable[ast.AST]:
        self.bound.add(node.name)
        return (*node.decorator_list, *_defaults(node.args))

    def class_definition(self, node: ast.ClassDef) -> Iterable[ast.AST]:
        self.bound.add(node.name)
        return (*node.decorator_list, *node.bases, *node.keywords)

    def lambda_(self, node: ast.Lambda) -> Iterable[ast.AST]:
        return _defaults(node.args)

    def comprehension(self, node: Comprehension) -> Iterable[ast.AST]:
        """Its targets are its own; what `:=` binds anywhere in it is the function's."""
        stack: list[ast.AST] = [node]
        while stack:
            inner = stack.pop()
            if isinstance(inner, ast.NamedExpr):
                self.bound.add(inner.target.id)
            if not isinstance(inner, ast.Lambda):
                stack += ast.iter_child_nodes(inner)
        return ()

    def handler(self, node: ast.ExceptHandler) -> Iterable[ast.AST]:
        self.optional(node.name)
        return ast.iter_child_nodes(node)

    def pattern(self, node: ast.MatchAs | ast.MatchStar) -> Iterable[ast.AST]:
        self.optional(node.name)
        return ast.iter_child_nodes(node)

    def mapping_pattern(self, node: ast.MatchMapping) -> Iterable[ast.AST]:
        self.optional(node.rest)
        return ast.iter_child_nodes(node)

    def optional(self, name: str | None) -> None:
        if name is not None:
            self.bound.add(name)

    def imports(self, node: ast.Import | ast.ImportFrom) -> Iterable[ast.AST]:
        self.bound.update(a.asname or a.name.partition(".")[0] for a in node.names)
        return ()

    def global_(self, node: ast.Global) -> Iterable[ast.AST]:
        self.globals.update(node.names)
        return ()

    def nonlocal_(self, node: ast.Nonlocal) -> Iterable[ast.AST]:
        self.nonlocals.update(node.names)
        return ()


def _defaults(arguments: ast.arguments) -> list[ast.AST]:
    return [*arguments.defaults, *(d for d in arguments.kw_defaults if d is not None)]


_BINDERS: dict[type[ast.AST], Callable[[Names, Any], Iterable[ast.AST]]] = {
    ast.Name: Names.name,
    ast.FunctionDef: Names.definition,
    ast.AsyncFunctionDef: Names.definition,
    ast.ClassDef: Names.class_definition,
    ast.Lambda: Names.lambda_,
    ast.ExceptHandler: Names.handler,
    ast.MatchAs: Names.pattern,
    ast.MatchStar: Names.pattern,
    ast.MatchMapping: Names.mapping_pattern,
    ast.Import: Names.imports,
    ast.ImportFrom: Names.imports,
    ast.Global: Names.global_,
    ast.Nonlocal: Names.nonlocal_,
    **dict.fromkeys(COMPREHENSIONS, Names.comprehension),
    # The common leaves, for speed.
    **dict.fromkeys((ast.Constant, ast.Pass, ast.Load), lambda _, __: ()),
}
