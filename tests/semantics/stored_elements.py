"""Pieces of programs that replace elements of lists that comprehensions and loops make.

Each sets ``out`` from a number ``x`` and an integer ``n`` of at least 5, as in `list_elements`.
What was the element stays what it is for all who have it; what takes its place is in the list
itself, and no copy of it.
"""

TEXT = """
# arrays take the places of others
== replaced
t = [np.ones(2) * x for _ in range(n)]
for i in range(n):
    t[i] = t[i] * i + x
out = t[0][1] + t[n - 1][0]
== old_one_stays
t = [np.ones(2) * x * i for i in range(n)]
r = t[1]
t[1] = r * 3.0 + x
out = r[0] * t[1][1] + t[2][0]
== old_ones_stay
t = [np.ones(2) * x * i for i in range(n)]
s = 0.0
for i in range(n):
    r = t[i]
    t[i] = r * 3.0 + x
    s = s + r[0] * t[i][1]
out = s
== neighbours
t = [np.ones(2) * x * i for i in range(n)]
for k in range(3):
    for i in range(1, n - 1):
        t[i] = 0.5 * (t[i - 1] + t[i + 1])
out = t[n - 2].sum() + t[1][0]
== with_a_carried_array
t = [np.zeros(2) for _ in range(n)]
a = np.ones(2) * x
for i in range(n):
    t[i] = t[i] * 2.0 + a
    a = t[i] * 1.5
out = a.sum() + t[2][0]
== exchanged
t = [np.ones(2) * x * i for i in range(n)]
for i in range(n - 1):
    t[i], t[i + 1] = t[i + 1], t[i]
out = t[0][0] + 2.0 * t[n - 1][0] + 3.0 * t[n - 2][1]
== moved
t = [np.ones(2) * x * i for i in range(n)]
for i in range(1, n):
    t[i - 1] = t[i]
out = t[0][0] + 2.0 * t[n - 1][0] + 3.0 * t[n - 2][1]
== from_behind
t = [np.ones(2) * x * i for i in range(n)]
t[-1] = t[0] + x
for i in range(n):
    t[-i] = t[-i] * 2.0
out = t[n - 1][0] + t[1][1] + t[0][0]
== by_elements
t = [np.ones(2) * x * i for i in range(n)]
for i, r in enumerate(t):
    t[i] = r * 2.0 + t[i - 1]
out = t[n - 1][0] + t[1][1] + t[0][0]
== seen_by_the_iteration
t = [np.ones(2) * x * i for i in range(n)]
s = 0.0
for i, r in enumerate(t):
    s = s * 0.5 + r[0]
    if i + 1 < n:
        t[i + 1] = r + x
out = s
== in_two_lists
t = [np.ones(2) * x * i for i in range(n)]
u = [np.zeros(2) for _ in range(n)]
for i in range(n):
    t[i], u[i] = u[i] + x, t[i] * 2.0
out = t[1][0] * u[2][1]
== of_rows
a = np.outer(np.arange(n), np.ones(3)) * x
t = [a[i] for i in range(n)]
for i in range(n):
    t[i] = t[i] * 2.0
out = a[2, 1] + t[2][1]
== listed_rows
a = np.outer(np.arange(n), np.ones(3)) * x
t = list(a)
for i in range(n):
    t[i] = t[i] * 2.0
out = a[2, 1] + t[2][1]
== repeated
t = [np.ones(2) * x] * n
for i in range(1, n):
    t[i] = t[i - 1] * 0.5 + x
out = t[0][0] + t[n - 1][1]
== shared
a = np.ones(2) * x
t = [a for _ in range(n)]
for i in range(1, n):
    t[i] = t[i - 1] * 0.5 + a
out = t[0][0] + t[n - 1][1]
== in_branches
t = [np.ones(2) * x * i for i in range(n)]
for i in range(n):
    if t[i][0] > 2.03:
        t[i] = t[i] * 0.5
    elif x > 100.0:
        t[0] = t[i]
out = t[n - 1][0] + t[1][1]
== in_a_while
t = [np.ones(2) * x * i for i in range(n)]
i = 0
while t[i][0] < 2.03 and i < n - 1:
    t[i + 1] = t[i] + x
    i = i + 1
out = t[n - 1][0] + t[1][1] + i
== matrices
t = [np.outer([x, 1.0], [1.0, x]) for i in range(n)]
for i in range(1, n):
    t[i] = t[i - 1] @ t[i] * 0.1
out = t[n - 1][0, 1]
== tuples
t = [(np.ones(2) * x, x * i) for i in range(n)]
for i in range(n):
    a, b = t[i]
    t[i] = (a * b, b + a[0])
out = t[n - 1][0][1] + t[2][1]
== tuples_of_numbers
t = [(x, x * i) for i in range(n)]
for i in range(1, n):
    a, b = t[i - 1]
    t[i] = (t[i][1], a * 0.5 + b)
out = t[n - 1][0] + t[2][1]
== named_tuples
t = [Pair(np.ones(2) * x, np.zeros(3)) for i in range(n)]
for i in range(n):
    t[i] = t[i]._replace(a=t[i].a * 2.0)
    t[i] = Pair(t[i].a + i, t[i].b + x)
out = t[n - 1].a[0] + t[1].b[2]
== tuples_exchanged
t = [(np.ones(2) * x * i, x * i) for i in range(n)]
for i in range(n - 1):
    t[i], t[i + 1] = t[i + 1], t[i]
out = t[0][0][0] + 2.0 * t[n - 1][1] + 3.0 * t[n - 2][1]
== other_numbers
t = [np.float32(i) for i in range(n)]
for i in range(1, n):
    t[i] = t[i - 1] + t[i]
out = float(t[n - 1]) * x
# who else has the array
== written_afterwards
t = [np.zeros(2) for _ in range(n)]
for i in range(n):
    v = np.ones(2) * x
    t[i] = v
    v += i
out = t[n - 1][0] + t[0][1]
== written_before
t = [np.zeros(2) for _ in range(n)]
for i in range(n):
    v = np.ones(2) * x
    v += i
    t[i] = v
out = t[n - 1][0] + t[0][1]
== one_array_for_all
v = np.ones(2) * x
t = [np.zeros(2) for _ in range(n)]
for i in range(n):
    v += i
    t[i] = v
out = t[0][0] + t[n - 1][0]
== one_array_written_later
v = np.ones(2) * x
t = [np.zeros(2) for _ in range(n)]
for i in range(n):
    t[i] = v
v *= 3.0
out = t[0][0] + t[n - 1][0]
== carried_array_written
t = [np.zeros(2) for _ in range(n)]
v = np.ones(2) * x
for i in range(n):
    v *= 2.0
    t[i] = v
    if i % 2 == 0:
        v = v + 1.0
out = t[0][0] + t[1][0] * 3.0 + t[2][0] * 5.0
== carried_array_written_later
t = [np.zeros(2) for _ in range(n)]
v = np.ones(2) * x
for i in range(n):
    t[i] = v
    v = v * 2.0
v += 1.0
t[2] = t[2] + 1.0
out = t[0][0] + t[n - 1][0] + v[0]
== first_array_written_later
t = [np.zeros(2) for _ in range(n)]
v = w = np.ones(2) * x
for i in range(n):
    t[i] = w
    w = w * 2.0
v += 1.0
out = t[0][0] + t[n - 1][0] + v[0]
== last_array_written_later
t = [np.zeros(2) for _ in range(n)]
for i in range(n):
    v = np.ones(2) * x
    t[i] = v
v += 1.0
out = t[0][0] + t[n - 1][0] + v[0]
== two_arrays_in_turn
t = [np.zeros(2) for _ in range(n)]
v, w = np.ones(2) * x, np.ones(2) * 3.0
first = w
for i in range(n):
    t[i] = v
    v, w = w, v
first += x
out = t[0][0] + 3.0 * t[1][0] + 5.0 * t[n - 1][0]
== element_written
t = [np.ones(2) * x * i for i in range(n)]
for i in range(n):
    t[i] = t[i] * 2.0
t[1][0] = 5.0
out = t[1][0] * x + t[2][0]
== old_element_written
t = [np.ones(2) * x * i for i in range(n)]
r = t[1]
t[1] = r * 2.0
r[0] = 7.0
out = t[1][0] * r[0]
== element_added_to
t = [np.ones(2) * x * i for i in range(n)]
for i in range(1, n):
    t[i] += t[i - 1]
out = t[n - 1][0] + t[1][1]
== element_added_to_and_replaced
t = [np.ones(2) * x * i for i in range(n)]
for i in range(1, n):
    t[i] += t[i - 1]
    t[i - 1] = t[i] * 0.5
out = t[n - 1][0] + t[1][1]
== moved_element_written
t = [np.ones(2) * x * i for i in range(n)]
t[0] = t[1]
t[0][0] = 5.0 * x
out = t[1][0] + t[0][1]
== carried_element_written
t = [np.ones(2) * x * i for i in range(n)]
r = np.zeros(2)
for i in range(n):
    r += x
    t[i] = t[i] + r
    r = t[i]
out = t[0][0] + 2.0 * t[1][0] + 3.0 * t[n - 1][0]
== element_carried_and_written
t = [np.ones(2) * x * i for i in range(n)]
t[1] = t[2] * 2.0
r = np.zeros(2)
for i in range(n):
    r *= 2.0
    r = t[i]
out = t[0][0] + 2.0 * t[1][0] + 3.0 * t[n - 2][0]
== element_of_a_plain_list_carried_and_written
t = [np.ones(2) * x, np.ones(2), np.ones(2) * 3.0, np.zeros(2), x * np.ones(2), np.ones(2)]
r = np.zeros(2)
for i in range(6):
    r *= 2.0
    r = t[i]
out = t[0][0] + 2.0 * t[1][0] + 3.0 * t[5][0]
== element_of_joined_lists_carried_and_written
t = [np.ones(2) * x * i for i in range(n)] + [np.ones(2) * i for i in range(n)]
r = np.zeros(2)
for i in range(n + 2):
    r *= 2.0
    r = t[i]
out = t[0][0] + 2.0 * t[1][0] + 3.0 * t[n][0]
== chosen_array_written
t = [np.ones(2) * x * i for i in range(n)]
for i in range(n):
    v = np.ones(2) * i
    w = np.ones(2) * x
    u = v if x > 1.5 else w
    t[i] = u
    v += 1.0
out = t[1][0] + t[n - 1][0]
== chosen_in_a_branch
t = [np.ones(2) * x * i for i in range(n)]
for i in range(n):
    if x > 1.5:
        v = np.ones(2) * i
        t[i] = v
    else:
        v = np.ones(2) * x
    v += 1.0
out = t[1][0] + t[n - 1][0]
== chosen_element_written
t = [np.ones(2) * x * i for i in range(n)]
t[0] = t[1] * 3.0
v = t[0] if x > 1.5 else t[1]
v += 1.0
out = t[0][0] + 2.0 * t[1][0]
== view_stored
a = np.outer(np.arange(n), np.ones(3)) * x
t = [np.zeros(3) for _ in range(n)]
for i in range(n):
    t[i] = a[i]
a[1, 1] = 9.0
out = t[1][1] * x + t[2][0]
== view_of_an_element_written
t = [np.ones(3) * x * i for i in range(n)]
for i in range(n):
    t[i] = t[i] + 1.0
t[1][1:] = 5.0 * x
out = t[1].sum() + t[2].sum()
== reshaped_element_written
t = [np.ones((2, 2)) * x * i for i in range(n)]
for i in range(n):
    t[i] = t[i] + 1.0
t[1].reshape(-1)[0] = 5.0 * x
t[2].ravel()[1] = 4.0
t[3].T[1] = 3.0
out = t[1].sum() + t[2].sum() * 2.0 + t[3][0, 1] * 3.0
== in_a_history
t = [np.ones(2) * x * i for i in range(n)]
h = []
for i in range(n):
    t[i] = t[i] * 2.0 + x
    h.append(t[i])
t[1] = t[2] * 3.0
out = h[1][0] + t[1][0]
== history_written
t = [np.ones(2) * x * i for i in range(n)]
h = []
for i in range(n):
    t[i] = t[i] * 2.0 + x
    h.append(t[i])
h[1][0] = 5.0 * x
out = h[1][0] + t[1][0]
== history_of_new_ones_written
t = [np.ones(2) * x * i for i in range(n)]
h = []
for i in range(n):
    v = t[i] * 2.0 + x
    t[i] = v
    h.append(v)
h[1][0] = 5.0 * x
out = h[1][0] + t[1][0] * 2.0
== history_of_the_list
t = [np.ones(2) * x * i for i in range(n)]
h = []
for i in range(n):
    t[i] = t[i] * 2.0 + x
    h.append(t)
out = h[0][n - 1][0]
== history_of_copies
t = [np.ones(2) * x * i for i in range(n)]
h = []
for i in range(n):
    t[i] = t[i] * 2.0 + x
    h.append(list(t))
out = h[0][n - 1][0] + h[n - 1][0][0]
== stacked_before
t = [np.ones(2) * x * i for i in range(n)]
a = np.stack(t)
b = np.transpose(t)
c = np.asarray(t)
t[1] = t[1] * 5.0
out = a[1, 0] + b[0, 1] + c[1, 1] + np.sum(t)
== stacked_and_written
t = [np.ones(2) * x * i for i in range(n)]
t[1] = t[1] * 5.0
a = np.asarray(t)
a[1, 0] = 3.0
b = np.transpose(t)
b[0, 2] = 4.0
out = t[1][0] + a[1, 0] * x + t[2][0] + b[0, 2]
== copied
t = [np.ones(2) * x * i for i in range(n)]
u = list(t)
v = t[:]
w = t.copy()
t[1] = t[1] * 5.0
u[2] = t[1] + x
out = t[1][0] + u[1][0] * 2.0 + v[1][0] * 3.0 + w[1][0] * 5.0 + t[2][0] * 7.0 + u[2][0]
== copied_by_a_star
t = [np.ones(2) * x * i for i in range(n)]
u = [*t]
t[1] = t[1] * 5.0
out = t[1][0] + u[1][0] * 2.0 + u[2][0]
== copied_and_written
t = [np.ones(2) * x * i for i in range(n)]
u = list(t)
t[1] = t[1] * 5.0
u[2][0] = 3.0 * x
out = t[2][0] + u[1][0] * 2.0 + u[2][0]
== copied_deeply
t = [np.ones(2) * x * i for i in range(n)]
t[1] = t[1] * 5.0
u = copy.deepcopy(t)
u[2] = u[2] + 3.0 * x
out = t[2][0] + u[1][0] * 2.0 + u[2][0]
== sliced_list
t = [np.ones(2) * x * i for i in range(n)]
u = t[1:]
u[0] = u[0] * 4.0
t[2] = t[2] * 3.0
out = t[1][0] + u[0][0] * 2.0 + u[1][0] + t[2][0]
== unzipped
t = [(np.ones(2) * x * i, x * i) for i in range(n)]
a, b = zip(*t)
t[1] = (t[1][0] * 5.0, 4.0 * x)
out = a[1][0] + b[1] + t[1][0][0] + t[1][1]
== flattened
t = [(x * i, x + i) for i in range(n)]
u = [a for r in t for a in r]
t[1] = (3.0 * x, 1.0 * x)
out = u[2] + t[1][0] + u[3]
== tuple_of_the_list
t = [np.ones(2) * x * i for i in range(n)]
u = tuple(t)
t[1] = t[1] * 5.0
out = u[1][0] + t[1][0]
== another_name
t = [np.ones(2) * x * i for i in range(n)]
u = t
u[1] = t[1] * 5.0
out = u[1][0] + t[1][0]
== in_an_object
c = Cell([np.ones(2) * x * i for i in range(n)])
for i in range(1, n):
    c.v[i] = c.v[i] + c.v[i - 1]
out = c.v[n - 1][0] + c.v[1][0]
== in_a_dict
c = {'t': [np.ones(2) * x * i for i in range(n)], 'u': 0.0}
for i in range(1, n):
    c['t'][i] = c['t'][i] + c['t'][i - 1]
    c['u'] = c['u'] + c['t'][i][1]
out = c['t'][n - 1][0] + c['u']
== one_of_two_lists
t = [np.ones(2) * x * i for i in range(n)]
u = [np.ones(2) * x for i in range(n)]
v = t if x > 1.5 else u
v[1] = v[1] * 5.0
out = t[1][0] + u[1][0] * 2.0
== helper_stores
t = [np.ones(2) * x * i for i in range(n)]
for i in range(n):
    store(t, t[i] * 2.0)
out = t[1][0] + t[2][0]
== appended_afterwards
t = [np.ones(2) * x * i for i in range(n)]
for i in range(n):
    t[i] = t[i] + x
t.append(t[1] * 2.0)
t[0] = t[-1]
out = t[0][0] + t[n][1] + len(t)
# elements of other kinds
== another_shape
t = [np.ones(2) * x * i for i in range(n)]
t[1] = np.ones(3) * x
out = t[1].sum() + t[2].sum()
== a_number
t = [np.ones(2) * x * i for i in range(n)]
t[1] = x * 3.0
out = t[1] + t[2][0]
== another_dtype
t = [np.ones(2) for i in range(n)]
t[1] = np.arange(2)
t[2] = t[2] * x
out = t[1][1] // 2 + t[2][0] + (x if t[1].dtype == np.int64 else 0.0)
== one_row_matrix
t = [np.ones((2, 2)) * x * i for i in range(n)]
t[1] = np.ones((1, 2)) * x
out = t[1].sum() + t[2].sum()
== none
t = [np.ones(2) * x * i for i in range(n)]
t[1] = None
out = t[2].sum() + (x if t[1] is None else 0.0)
== kinds_of_numbers
t = [(1.0, x) for i in range(n)]
t[1] = (np.float64(2.0), x)
t[2] = (3, x)
out = t[1][0] * x + (x if isinstance(t[0][0], np.float64) else 0.0) + t[2][0] // 2
== lists_stored
t = [[np.ones(2) * x, x] for i in range(n)]
u = [x, np.ones(2)]
t[1] = [np.zeros(2), 3.0 * x]
t[2] = t[1]
t[2][1] = x * x
out = t[1][1] + t[0][0][0]
== dicts_stored
t = [{'a': np.ones(2) * x} for i in range(n)]
for i in range(n):
    t[i] = {'a': t[i]['a'] * i}
t[1]['a'] = np.ones(2) * 3.0
out = t[1]['a'][0] * x + t[2]['a'][1]
# identity
== is_it
t = [np.ones(2) * x * i for i in range(n)]
v = np.ones(2) * x
t[1] = v
t[2] = t[1]
out = x * ((t[1] is v) + 2 * (t[1] is t[0]) + 4 * (t[2] is v) + 8 * (t[2] is t[1]))
== is_the_old_one
t = [np.ones(2) * x * i for i in range(n)]
r = t[1]
t[1] = r * 2.0
out = x * ((t[1] is r) + 2 * (r is t[1]) + 4 * (t[2] is t[2]))
"""
