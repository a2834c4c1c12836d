"""The constructs of mixed programs: one entry of text each, with holes.

A hole names the kind of what goes in: ``<s>`` a number, ``<v>`` a vector of n elements, ``<A>`` a
matrix with n rows and n + 1 columns, ``<l>`` a list of numbers, ``<r>`` a list of lists, ``<d>``
a dict of lists, ``<q>`` a deque, ``<o>`` an object, ``<g>`` a function of a number, ``<i>`` an
index below n, ``<c>`` a condition, ``<k>`` data that depend on no argument, ``<h>`` a threshold,
``<w>`` a factor. Holes of one number (``<l1>``) hold the same text; in
``<s:e>`` the variable ``e`` of a comprehension may be used. ``<+l1>`` is a new name of that
kind, and ``<=l1>`` the name of one that exists. A line ``<block>`` becomes statements, one
``<jumps>`` statements that may leave a loop.
"""

from __future__ import annotations

THRESHOLDS = ("-0.83", "-0.47", "-0.21", "0.13", "0.34", "0.57", "0.91")
FACTORS = ("0.3", "0.45", "0.6", "0.75", "-0.4", "0.9")

ATOMS = {
    "s": ("<=s>", "<=s>", "<=s>", "<v>[<i>]", "<A>[<i>, <i>]"),
    "v": ("<=v>", "<=v>", "<A>[:, <i>]", "<=v>[::-1]"),
    "A": ("<=A>",),
    "i": ("<=i>", "<=i>", "0", "1", "-1", "n - 1", "n // 2", "k % n"),
    "l": ("<=l>",),
    "r": ("<=r>",),
    "d": ("<=d>",),
    "q": ("<=q>",),
    "o": ("<=o>",),
    "g": ("<=g>",),
    "k": ("DATA[0]", "DATA[:, 1]", "np.diag(DATA)", "np.array(LEVELS)"),
    "c": ("<s> > <h>", "<s> < <h>", "<s> > <s>"),
}

EXPRESSIONS = {
    "arithmetic": ("s", "<w> * <s> + 0.3 * <s>", "<s> / (2 + <s> ** 2)", "np.tanh(<s> * <s>)",
                   "np.sin(<s> + <s>)", "abs(<s> - 3) * 0.3", "np.exp(-(<s>) ** 2)"),
    "reductions": ("s", "np.sum(<v>) / n", "<v> @ <v> / n", "np.mean(<A>)", "np.max(<v>) * <w>",
                   "<v1>[:<i>].sum() / n", "<A>[<i>].mean()", "np.sum(<v1>[<v1> > <h>]) * 0.3"),
    "float": ("s", "float(<s>)", "float(<s>) * <w>", "float(np.sum(<v>)) / n"),
    "item": ("s", "<v>[<i>].item()", "np.sum(<v>).item() / n", "<A>.mean().item()"),
    "tolist": ("s", "<v>.tolist()[<i>]", "<A>.tolist()[<i>][<i>]", "sum(<v>.tolist()) / n"),
    "math": ("s", "math.sin(<s>)", "math.exp(-(<s>) ** 2)", "math.sqrt(1 + <s> ** 2) - 1",
             "math.hypot(<s>, 1.0) - 1", "math.atan2(<s>, 2.0)", "math.tanh(<s>)",
             "math.log(1.5 + <s> ** 2)", "math.cos(float(<s>))", "math.sin(<v>[<i>].item())",
             "math.fsum(<v>.tolist()) / n", "math.pow(1 + <s> ** 2, 0.5) - 1", "math.pi * 0.2 * <s>"),
    "rounded": ("s", "0.2 * int(<s> * 3) + <w> * <s>", "<w> * <s> + round(<s>) * 0.3",
                "0.1 * math.floor(<s>)", "<w> * <s> * (1 + bool(<c>))", "round(<s> * 0.3, 2) + <s>",
                "divmod(<s>, 0.75)[1]", "<s> % 0.9", "<s> // 0.4 * 0.1"),
    "indices": ("i", "int(abs(<s>) * 2) % n", "round(<s>) % n", "int(<c>)", "math.floor(<s>) % n",
                "int(np.argmax(<v>))", "bool(<c>) + 1", "min(<i>, 2)", "(<i> + 1) % n",
                "int(np.sum(<v> > <h>)) % n", "min(range(n), key=lambda j: <v>[j])",
                "sorted(range(n), key=lambda j: <v>[j])[<i>]", "np.argsort(<v>)[<i>]",
                "<v1>.tolist().index(max(<v1>.tolist()))", "len(<l>) % n", "max(0, int(<s>)) % n",
                "int(np.histogram(<k>, bins=3)[0][1]) % n", "k % n"),
    "choices": ("s", "(<s> if <c> else <s>)", "max(<s>, <s>)", "min(<s>, <s>, <h>)",
                "(<s> if <c> else <w>)", "max(min(<s>, 1.5), -1.5)", "max(0, <s>)",
                "{True: <s>, False: <s>}[bool(<c>)]", "(<s>, <s>)[<i> % 2]"),
    "folds": ("s", "sum(<s:e> for e in <l>) * 0.3", "sum(<l>) / len(<l1>) * 0.5 if (<l1>) else 0.0",
              "sum(e for e in <v> if <c:e>) * 0.3", "max(e * e for e in <v>) * 0.3",
              "sum(e * f for e, f in zip(<v>, <l>)) / n", "min((abs(e) for e in <v>), default=0.5)",
              "sum([e * <w> for e in <v>][:<i>]) / n", "sum(map(lambda e: e * <w>, <v>)) / n",
              "functools.reduce(lambda s, e: 0.5 * s + e, <v>)",
              "sum(j * e for j, e in enumerate(<v>)) / n ** 2"),
    "nested comprehension": ("s", "sum([sum([e * <s:f> for f in <v>]) for e in <v>]) / n ** 2",
              "sum(sum(row) for row in [[e * <w> for e in <v>] for _ in range(2)]) / n",
              "sum([<s:e> * f for e in <v> if e > <h> for f in <v> if f < e]) / n ** 2",
              "np.array([[e - f for e in <v>] for f in <l>]).sum() / n ** 2",
              "sum(max(row) for row in [[e * j for j in range(3)] for e in <v>]) / n",
              "sum([len([e for e in <v> if e > f]) * f for f in <v>]) / n"),
    "ordered": ("s", "sorted(<l1>)[<i> % len(<l1>)]", "sorted(<v>.tolist())[<i>]",
                "min(<l>, key=lambda e: <s:e>)", "max(<v>, key=lambda e: e * <w>)",
                "sorted(<v>, key=lambda e: -e)[<i>]", "sorted(<l>, reverse=True)[0]",
                "min(zip(<l>, <l>))[1]", "sorted([(e, j) for j, e in enumerate(<v>)])[0][0]"),
    "lists": ("s", "<l1>[<i> % len(<l1>)]", "<l>[-1]", "<r>[<i> % 2][-1]", "<r1>[-1][<i> % len(<r1>[-1])]",
              "<q>[0]", "<q>[-1]", "sum(<q>) * 0.3", "sum(<d>[KEY])  * 0.2", "sum(map(sum, <r>)) * 0.1",
              "sum(sum(e) for e in <d>.values()) * 0.1", "np.mean(<l>)", "sum(row[0] for row in <r>) * 0.2"),
    "objects": ("s", "<o>.level", "<o>.gain", "<o>.update(<s>)", "(<o> + <o>).level * 0.5",
                "(<o> * <w>).level", "<o>(<s>)", "<o>.peak * 0.1", "len(<o>.history) * 0.05",
                "sum(e.level for e in [<o>, <o>]) * 0.5", "<o>[<i>]", "min([<o>, <o>]).level",
                "<o>.clipped(<s>, <h>)", "sum(<o>) * 0.2"),
    "functions": ("s", "<g>(<s>)", "<g>(<g>(<s>))", "sum(<g>(e) for e in <v>) / n",
                  "sum(map(<g>, <l>)) / n", "np.sum(pick(<v>, <s>)) / n", "measure(<v>, <h>)",
                  "first(<l>, <h>)", "sum(walk(<v>, <h>)) / n", "pair(<s>)[0]",
                  "sum(list(walk(<v>, <h>))[:2]) * 0.3", "next(walk(<v>, 2.0))", "nested(<s>, 2)"),
    "opaque": ("s", "<s> * np.linalg.eigvalsh(DATA)[1] * 0.3", "<s> * statistics.median(LEVELS)",
               "<s> * np.linalg.eigh(DATA)[0][0] * 0.3", "<s> * np.histogram(<k>, bins=3)[0][0] * 0.2",
               "<s> * float(np.median(<k>)) * 0.3", "<s> * np.percentile(<k>, 60) * 0.3"),
    "draws": ("s", "<s> * np.random.uniform(0.5, 1.0)", "<s> + 0.1 * np.random.normal()",
              "np.sum(<v> * np.random.rand(n)) / n", "<s> * rng.uniform(0.5, 1.0)",
              "np.sum(<v> * rng.normal(size=n)) / n", "<v>[rng.integers(0, n)]",
              "<v>[np.random.randint(n)]", "<v>[rng.permutation(n)[0]]"),
    "vectors": ("v", "np.sin(<v>)", "<w> * <v> + 0.4 * <v>", "np.tanh(<v> * <s>)",
                "np.where(<v> > <h>, <v>, <w> * <v>)", "np.roll(<v>, 1)", "np.cumsum(<v>) / n",
                "<A> @ np.ones(n + 1) * 0.2", "np.maximum(<v>, <v>)", "np.full(n, <s>)",
                "<v> / (2 + <v> ** 2)", "np.clip(<v>, -0.9, 0.9)", "<v>.copy()", "np.zeros(n)"),
    "vectors of comprehensions": ("v", "np.array([<s:e> for e in <v>])",
                "np.array([sum(row) / n for row in [[e * f for f in <v>] for e in <v>]])",
                "np.array([e if e > <h> else <w> * e for e in <v>])", "np.array([float(e) for e in <v>])",
                "np.array([[e, e * <w>] for e in <v>]).sum(axis=1)", "np.array([math.sin(e) for e in <v>])",
                "np.array(sorted(<v>.tolist()))", "np.array([<g>(e) for e in <v>])"),
    "lists of comprehensions": ("l", "[<s:e> for e in <v>]", "[<s>, <s>, <s>]", "<v>.tolist()",
                "[<s:e> for e in <v> if <c:e>] + [<s>]", "[float(e) for e in <v>]", "list(<v>)",
                "sorted(<l>)", "<l>[:] + [<s>]", "[e for row in <r> for e in row]",
                "[<s> for _ in range(n)]", "[<s> * j for j in range(1, 4)]", "[*<l>, <s>]",
                "[math.cos(e) for e in <v>]", "list(reversed(<l>))", "[<s>] * 3"),
    "rows": ("r", "[[<s>, <s>], [<s>, <s>]]", "[[e * <w> for e in <v>] for _ in range(2)]",
             "[[0.0] * 2 for _ in range(n)]", "[list(<l>), <v>.tolist()]", "<A>.tolist()",
             "[[e, <s:e>] for e in <v> if e < 5]", "[list(row) for row in <r>]", "[<l>] * 2"),
    "dicts": ("d", "{KEY: [<s>], 'w': [<s>, <s>]}", "{KEY: list(<l>)}",
              "{key: [<s>] for key in (KEY, 'u')}", "{KEY: <v>.tolist(), 'w': []}"),
    "deques": ("q", "collections.deque(<l>, maxlen=3)", "collections.deque([<s>])",
               "collections.deque(<v>, 2)"),
    "made objects": ("o", "Cell(<s>)", "Cell(<w>)", "Leaky(<s>)", "Gate(<s>, <w>)"),
    "conditions": ("c", "not <c>", "<c> and <c>", "<c> or <c>", "-0.47 < <s> < <h>", "<i> > 1",
                   "any(e > <h> for e in <v>)", "all(e < 1.9 for e in <l>)", "np.any(<v> > <h>)",
                   "len(<l>) > 3", "<l1>[0] in <l1>[1:]", "<s> in <l>", "'w' in <d>", "<o>.is_high",
                   "<o> < <o>", "isinstance(<s>, float)", "bool(<s> > 0)", "int(<s> * 2) > 0",
                   "round(<s>) == 0", "math.isclose(<s>, 0.2)", "float(<s>).is_integer()",
                   "<i> in (1, 2)", "np.median(<k>) > 0.3", "rng.random() > 0.5", "<o> == <o>", "<l>",
                   "np.all(<A> < 2.5)", "n > 4", "k > 2", "<g>(<s>) > <h>"),
}  # fmt: skip
"""By family: the kind, and the texts of which one is taken."""

STATEMENTS = {
    "number": ("<+s1> = <s>", "<=s1> = 0.5 * <=s1> + 0.4 * <s>", "<=s> = <s>", "<=s> += 0.2 * <s>"),
    "vector": ("<+v1> = <v>", "<+v1> = np.zeros(n)\n<+v1>[<i>] = <s>", "<=v1> = <v>"),
    "store": ("<=v>[<i>] = <s>", "<=v>[<i>] += 0.2 * <s>", "<=A>[<i>, <i>] = <s>",
              "<=v1>[<v1> > <h>] = 0.5", "<=A>[<i>] *= 0.7", "<=v1>[1:] = <w> * <v1>[:-1]",
              "<=v> *= <w>", "<=v>[:] = <v>", "<=A>[:, <i>] = <v>", "<=v>[int(<s>) % n:] += 0.1"),
    "alias of an array": ("row = <=A>[<i>]\nrow[<i>] = <s>", "<+v1> = <=v>\n<+v1>[<i>] = <s>",
              "part = <=v>[1:]\npart *= <w>", "for row in <=A>:\n    row[0] = 0.3 * row[1] + 0.2"),
    "new list": ("<+l1> = <l>", "<+l1> = [<s>]\nfor <*i2> in range(n):\n    <+l1>.append(<s>)",
              "<+l1> = []\nfor e in <v>:\n    if e > <h>:\n        <+l1>.append(e * <w>)\n<+l1>.append(<s>)",
              "<+l1> = [<s>]\nwhile len(<+l1>) < 4 and <+l1>[-1] < 1.2:\n    <+l1>.append(<+l1>[-1] * 0.5 + 0.6)",
              "<+l1> = [<s>]\nif <c>:\n    <+l1>.append(<s>)\nelse:\n    <+l1>.extend([<s>, <s>])"),
    "new rows": ("<+r1> = <r>", "<+r1> = []\nfor e in <v>:\n    <+r1>.append([e, <s>])",
              "<+r1> = [[0.0] * n for _ in range(n)]\nfor <*i2> in range(n):\n    <+r1>[<=i2>][<i>] = <s>",
              "<+r1> = []\nfor <*i2> in range(n):\n    line = [<s>]\n    line.append(<s>)\n    <+r1>.append(line)\n    line[0] += 0.1"),
    "write to a list": ("<=l1>[<i> % len(<=l1>)] = <s>", "<=l>[-1] += 0.3 * <s>", "<=l>.append(<s>)",
              "<=l>.sort()", "<=l>.insert(0, <s>)", "<=l1>[0], <=l1>[-1] = <=l1>[-1], <=l1>[0]",
              "<=l>.reverse()", "<=l>.extend([<s>, <s>])", "<=l1>.append(<=l1>.pop(0))",
              "if len(<=l1>) > 2:\n    del <=l1>[0]", "<=l1>[1:] = [e * <w> for e in <=l1>[1:]]"),
    "write to rows": ("<=r>[<i> % 2][-1] = <s>", "<=r>[0][0] += 0.3 * <s>", "<=r>[-1].append(<s>)",
              "line = <=r>[<i> % 2]\nline[0] = <s>", "for line in <=r>:\n    line[0] = 0.5 * line[-1] + 0.1",
              "<=r1>[0], <=r1>[1] = <=r1>[1], <=r1>[0]", "<=r>.append([<s>, <s>])",
              "<=r1>[1] = <=r1>[0]\n<=r1>[0][0] = <s>", "<+r1> = [line for line in <=r2>]\n<+r1>[0][-1] = <s>"),
    "alias of a list": ("<+l1> = <=l2>\n<+l1>[0] = <s>", "<+l1> = <=r2>[<i> % 2]\n<+l1>[0] = <s>",
              "<=r>.append(<=l1>)\n<=l1>[0] = <s>", "<+l1> = <=d2>[KEY]\n<+l1>.append(<s>)"),
    "dict": ("<+d1> = <d>", "<=d>[KEY].append(<s>)", "<=d>.setdefault('u', []).append(<s>)",
             "<=d>['w' if <c> else 'u'] = [<s>]", "for key, values in <=d>.items():\n    values.append(<s>)",
             "<+d1> = collections.defaultdict(list)\n<+d1>[KEY].append(<s>)\nfor e in <v>:\n    <+d1>['w' if e > <h> else 'u'].append(e)",
             "<=s> = sum(<=d1>.get('w', [0.2])) * 0.2 + <s>", "<=s> = sum(sum(<=d1>[key]) for key in sorted(<=d1>)) * 0.1"),
    "deque": ("<+q1> = <q>", "<=q>.append(<s>)", "<=q>.appendleft(<s>)", "<=q>.rotate(1)",
              "for e in <v>:\n    <=q1>.append(e)\n    <=s> = 0.5 * <=s> + 0.3 * <=q1>[0]",
              "if len(<=q1>) > 1:\n    <=s> = <=q1>.popleft()", "while len(<=q1>) > 1:\n    <=s> = 0.5 * <=q1>.pop() + <s>"),
    "object": ("<+o1> = <o>", "<=o>.update(<s>)", "<=o>.level = <s>", "<=o>.gain = <s>", "<+o1> = <o> + <o>",
               "<=o>.peak = <s>", "<=o>.history.append(<s>)", "<=o>[<i>] = <s>", "<=o> += <s>",
               "for e in <v>:\n    <=o>.update(e)", "with <=o> as level:\n    <=s> = level * <w>",
               "Cell.total = 0.5 * Cell.total + <s>", "<=s> = Cell.total * 0.3 + <s>",
               "CONFIG['bias'] = <s>", "<=s> = CONFIG['bias'] * 0.3 + <s>", "TRACE.append(<s>)",
               "many = [Cell(e) for e in <v>]\nfor one in many:\n    one.update(<s>)\n<=s> = sum(one.level for one in many) / n",
               "best = max([Cell(e) for e in <v>], key=lambda one: one.level)\n<=s> = best.gain"),
    "closure": ("<+s2> = <s>\ndef <+g1>(value):\n    nonlocal <=s2>\n    <=s2> = 0.5 * <=s2> + 0.2 * value\n    return <=s2> * <w>",
                "<+g1> = lambda value: value * <w> + <s>", "<+g1> = functools.partial(damp, <s>)",
                "def <+g1>(value):\n    if value > <h>:\n        return value * <w>\n    <=l>.append(value)\n    return <s>",
                "def <+g1>(value):\n    for e in <v>:\n        if e > value:\n            return e * <w>\n    return value",
                "<+g1> = <o>.update", "<+g1> = <o>"),
    "variable that a function reads": (
                "<+s1> = <s>\ndef <+g1>(value):\n    return value * <w> + 0.3 * <+s1>\nfor e in <v>:\n    <+s1> = <+g1>(e)",
                "<+s1> = <s>\nwith_level = functools.partial(lambda a, b: a * <w> - 0.3 * <+s1> * b, <s>)\nfor e in <v>:\n    <+s1> = with_level(e)",
                "<+s1> = <s>\nfor e in map(lambda value: value * <w> + 0.3 * <+s1>, <v>):\n    <+s1> = e",
                "<+s1> = <s>\nclass Reader:\n    def read(self, value):\n        return value * <w> + 0.3 * <+s1>\nreader = Reader()\nfor e in <v>:\n    if e < <h>:\n        <+s1> = reader.read(e)",
                "<+s1> = <s>\ndef ask():\n    return <+s1> * <w>\nsteps = 0\nwhile abs(ask()) < 1.5 and steps < 4:\n    steps += 1\n    <+s1> = 1.4 * <+s1> + 0.2"),
    "arrays without axes": (
                "whole = np.array(<s>)\npart = whole\nfor e in <v>:\n    whole += 0.2 * e\n    if e < <h>:\n        part = part.copy()\n<=s> = float(part) + 0.5 * float(whole)",
                "whole = np.array(<s>)\npart = whole\nif <c>:\n    part = part * <w>\nwhole += 0.3\n<=s> = float(part) - float(whole)",
                "both = [np.array(<s>), np.array(<s>)]\nfor e in <v>:\n    both[0][()] += 0.1 * e\n    if e > <h>:\n        both.reverse()\n<=s> = float(both[0]) - 0.4 * float(both[1])"),
    "shapes of branches": ("if <c>:\n    part = <v>\nelse:\n    part = <v>[1:]\n<=s> = np.sum(part) / n",
                "if <c>:\n    part = <A>\nelse:\n    part = <s>\n<=s> = np.sum(part * <w>) / n ** 2",
                "part = None\nif <c>:\n    part = <l>\n<=s> = <s> if part is None else part[0]",
                "if <c>:\n    part = (<s>, <s>)\nelse:\n    part = (<s>,)\n<=s> = sum(part) * 0.5",
                "if <c>:\n    part = [<s>]\nelse:\n    part = {'u': <s>}\n<=s> = part[0] if isinstance(part, list) else part['u']",
                "part = 1 if <c> else <s>\n<=s> = <s> * part", "part = <v> if <c> else [0.2, 0.3]\n<=s> = part[-1] * len(part) * 0.2",
                "if <c>:\n    part = np.arange(n)\nelse:\n    part = <v>\n<=s> = (part * <w>).sum() / n",
                "got = maybe(<s>)\nif got is not None:\n    <=s> = got", "<=s> = sum(several(<v>, <h>)) / n"),
    "None at times": (
                "best = None\nfor e in <v>:\n    if e > <h> and (best is None or e < best):\n        best = e\n<=s> = <s> if best is None else best * <w>",
                "last = None\nfor e in <l>:\n    if last is not None:\n        <=s> = 0.5 * <=s> + last * <w>\n    last = e if e > <h> else None",
                "run = None\nfor e in <v>:\n    got = maybe(e)\n    if got is None:\n        run = None\n    elif run is None:\n        run = got\n    else:\n        run = 0.5 * run + got\nif run:\n    <=s> = run",
                "low = high = None\nfor e in <v>:\n    if e < <h>:\n        continue\n    if low is None:\n        low = high = e\n    else:\n        low, high = min(low, e), max(high, e)\n<=s> = <s> if low is None else high - low + <s>",
                "before = after = None\nfor e in <l>:\n    before, after = after, e if e > <h> else None\nif before is not None and after is not None:\n    <=s> = before * after",
                "cell = Cell(<s>)\ncell.peak = None\nfor e in <v>:\n    if e > <h>:\n        cell.peak = e if cell.peak is None else max(e, cell.peak)\n<=s> = <s> if cell.peak is None else 0.3 * cell.peak"),
    "try": ("try:\n    <=s> = math.sqrt(<s>)\nexcept ValueError:\n    <=s> = <s>",
            "try:\n    <=s> = <s> * <l1>.index(<l>[0])\nexcept ValueError as error:\n    <=s> = 0.3",
            "try:\n    <=s> = <d>['w'][1]\nexcept (KeyError, IndexError):\n    <=s> = <s>\nelse:\n    <=s> = 0.5 * <=s>",
            "try:\n    <=s> = checked(<s>)\nexcept ValueError:\n    <=l>.append(<s>)\nfinally:\n    <=s> = <w> * <=s>",
            "try:\n    <block>\n    if <c>:\n        raise KeyError('stop')\n    <=s> = <s>\nexcept KeyError:\n    <=s> = <w> * <=s>"),
    "print": ("print(f'{(<s>):.3f}')", "print('n', n, len(<l>))"),
    "branch": ("if <c>:\n    <block>", "if <c>:\n    <block>\nelse:\n    <block>",
               "if <c>:\n    <block>\nelif <c>:\n    <block>\nelse:\n    <block>"),
    "for": ("for <*i1> in range(n):\n    <jumps>", "for <*i1> in range(3):\n    <jumps>",
            "for <*i1>, <*s2> in enumerate(<v>):\n    <jumps>", "for <*i1> in range(n - 1, -1, -1):\n    <jumps>",
            "for <*s1>, <*s2> in zip(<v>, <l>):\n    <jumps>", "for <*s1> in <l>[:]:\n    <jumps>",
            "for <*i1> in range(int(abs(<s>) * 3) % n + 1):\n    <jumps>", "for <*s1> in walk(<v>, <h>):\n    <jumps>",
            "for <*i1> in range(<i> % n):\n    <jumps>\nelse:\n    <block>", "for <*s1> in sorted(<v>.tolist()):\n    <jumps>",
            "for <*i1> in np.flatnonzero(<v> > <h>):\n    <jumps>", "for <*v1> in [<v>, <v>]:\n    <jumps>",
            "for <*i1>, <*s2> in [(0, <s>), (1, <s>)]:\n    <jumps>", "for <*i1> in range(k):\n    <=i1> = <=i1> % n\n    <jumps>"),
    "while": ("<+n1> = 0\nwhile <+n1> < n and <c>:\n    <+n1> += 1\n    <jumps>",
              "<+n1> = 3\nwhile <+n1>:\n    <+n1> -= 1\n    <jumps>",
              "<+n1> = 0\nwhile True:\n    <+n1> += 1\n    if <c> or <+n1> > 3:\n        break\n    <block>",
              "<+n2> = 0\n<+s1> = abs(<s>) + 1.0\nwhile <+s1> > 0.5 and <+n2> < 6:\n    <+n2> += 1\n    <+s1> = 0.6 * <+s1> - 0.05\n    <block>"),
    "draw": ("<=v> = <v> * np.random.uniform(0.5, 1.0, n)", "<=s> = <s> + 0.1 * rng.normal()",
             "np.random.seed(int(<i>))\n<=s> = <s> * np.random.rand()", "noise = np.random.default_rng(5).normal(size=n)\n<=s> = <v> @ noise / n"),
    "opaque result": ("values, vectors = np.linalg.eigh(DATA)\n<=s> = <s> * values[1] * 0.3",
             "counts, edges = np.histogram(<k>, bins=4)\n<=s> = <s> * edges[1] + counts[0] * 0.1",
             "<=s> = <s> * statistics.mean(LEVELS)", "counts = np.histogram(<v>, bins=2)[0]\n<=s> = <s> * (1.0 if counts[0] > 1 else 0.5)"),
}  # fmt: skip
"""By family: statements, of several lines where there are several."""

EARLY = (
    "if <c>:\n    <block>\n    <return>",
    "for <*i1>, <*s2> in enumerate(<v>):\n    if <c>:\n        <return>\n    <block>",
)
"""Returns from within the program."""
JUMPS = ("if <c>:\n    break", "if <c>:\n    continue", "if <c>:\n    <block>\n    break")

FUNCTIONS = """
def pick(v, s):
    if s > <h>:
        return v
    return v[:2] * <w>


def pair(s):
    if s > <h>:
        return s * <w>, s
    elif s < <h>:
        return (s,)
    return 0.25, 1, s


def maybe(s):
    if s > <h>:
        return None
    return <w> * s


def several(v, level):
    if v[0] > level:
        return [v[0], v[1]]
    if v[1] > level:
        return (v[1] * <w>,)
    return list(v)


def measure(v, level):
    total = 0.0
    for e in v:
        if e > level:
            return total + e
        total += <w> * e
    return total


def first(items, level):
    for j, e in enumerate(items):
        if e > level:
            return e * (j + 1) * 0.3
        if j > 2:
            break
    else:
        return 0.2
    return <w> * items[0]


def walk(v, limit):
    total = 0.0
    for e in v:
        if e > limit:
            return
        total = 0.5 * total + e
        yield total


def checked(s):
    if s < <h>:
        raise ValueError("too low")
    return <w> * s


def damp(level, value):
    return 0.5 * level + <w> * value


def nested(s, depth):
    if depth == 0 or s > <h>:
        return s * <w>
    return nested(<w> * s + 0.1, depth - 1) + 0.1
"""

CLASSES = '''
class Cell:
    total = 0.0
    peak = <w>

    def __init__(self, level):
        self.level = level
        self.history = []
        if level > <h>:
            self.history.append(level * <w>)

    @property
    def gain(self):
        if self.level > <h>:
            return self.level * <w>
        return 0.2 * self.peak + math.sin(self.level)

    @gain.setter
    def gain(self, value):
        self.level = value * <w> if value > <h> else value

    @property
    def is_high(self):
        return self.level > <h>

    def update(self, value):
        if value > <h>:
            self.level = 0.5 * self.level + 0.3 * value
            return self.level
        self.history.append(<w> * value)
        for e in self.history:
            if e > <h>:
                self.level = 0.7 * self.level
                return e * <w>
        self.level *= <w>
        return 0.5 * value

    def clipped(self, value, limit):
        if value > limit:
            return limit
        return value if self.level > <h> else self.level

    def __add__(self, other):
        return Cell(0.5 * self.level + <w> * other.level)

    def __iadd__(self, value):
        self.level = 0.5 * self.level + 0.3 * value
        return self

    def __mul__(self, factor):
        return type(self)(self.level * factor)

    def __call__(self, value):
        if value < <h>:
            return <w> * value
        return self.level * value * 0.5

    def __lt__(self, other):
        return self.level < other.level

    def __getitem__(self, place):
        return self.history[place % len(self.history)] if self.history else self.level

    def __setitem__(self, place, value):
        if self.history:
            self.history[place % len(self.history)] = value
        else:
            self.history.append(value)

    def __iter__(self):
        yield self.level
        for e in self.history[:2]:
            yield e * <w>

    def __enter__(self):
        self.level = self.level + 0.1
        return self.level

    def __exit__(self, *details):
        self.level = self.level * <w>


class Leaky(Cell):
    def update(self, value):
        kept = super().update(value)
        if kept > <h>:
            return kept * <w>
        type(self).total = 0.5 * self.total + 0.1 * value
        return kept

    @property
    def gain(self):
        return super().gain * <w> + self.total * 0.1


@dataclasses.dataclass
class Gate(Cell):
    level: float
    scale: float = <w>
    history: list = dataclasses.field(default_factory=list)

    def __post_init__(self):
        if self.level > <h>:
            self.level = self.level * self.scale

    def __mul__(self, factor):
        return Gate(self.level, factor)

    @classmethod
    def of(cls, level):
        return cls(level, <w>)


HELD = Cell(0.4)
CONFIG = {"bias": 0.3, "items": [0.1, 0.2]}
TRACE = []


def reset():
    """Everything outside as it is at first."""
    HELD.__dict__.clear()
    HELD.__init__(0.4)
    for cls in (Cell, Leaky, Gate):
        cls.total, cls.peak = 0.0, <w>
    CONFIG.clear()
    CONFIG.update(bias=0.3, items=[0.1, 0.2])
    TRACE.clear()
    LEVELS[:] = [0.3, 0.9, 0.5]
    np.random.seed(7)
    rng.bit_generator.state = np.random.default_rng(11).bit_generator.state


def outside():
    """Everything outside."""
    of_classes = [getattr(cls, name) for cls in (Cell, Leaky, Gate) for name in ("total", "peak")]
    drawn = np.random.get_state()[1][:3].tolist(), np.random.get_state()[2], rng.bit_generator.state["state"]["state"]
    return dict(vars(HELD)), of_classes, CONFIG, TRACE, LEVELS, str(drawn)
'''

PRELUDE = """import collections
import dataclasses
import functools
import math
import statistics

import numpy as np

DATA = np.array([[2.0, 0.3, -0.4], [0.3, 1.1, 0.2], [-0.4, 0.2, 0.6]])
LEVELS = [0.3, 0.9, 0.5]
KEY = "v"
rng = np.random.default_rng(11)
"""

TOTAL = """
def total(value):
    if value is None or isinstance(value, (bool, np.bool_, int, np.integer, str)):
        return 0.0
    if isinstance(value, dict):
        return sum(total(value[key]) for key in sorted(value))
    if isinstance(value, (list, tuple, collections.deque)):
        return sum([0.5 * (j % 3 + 1) * total(e) for j, e in enumerate(value)])
    return np.sum(np.sin(value + 0.3))


def loss(x, y, A, a, b, k):
    return total(program(x, y, A, a, b, k))
"""
