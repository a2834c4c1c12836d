"""Logistic regression as scikit-learn fits it, from a loss written in five lines of NumPy.

Shown are the loss, the gradient that gradsmith writes for it and the formula of the derivative
of one observation's loss; SciPy's L-BFGS then trains with that gradient on the breast-cancer
data, and the coefficients are scikit-learn's.
"""

import inspect

import numpy as np
import sympy
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import StandardScaler

import gradsmith as gs


def logistic(margin):
    return np.log1p(np.exp(-margin))


def loss(params, X, y):
    w, b = params[:-1], params[-1]
    margins = y * (X @ w + b)
    return np.sum(logistic(margins)) + 0.5 * w @ w


def main():
    features, classes = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(features)
    y = np.where(classes == 1, 1.0, -1.0)
    start = np.zeros(X.shape[1] + 1)

    print("The loss:\n", inspect.getsource(loss), sep="\n")
    print("Its gradient:\n", gs.grad(loss).source(start, X, y), sep="\n")
    formula = gs.differentiable(logistic).formula(wrt="margin")
    print("The derivative of one observation's loss:", formula)
    (margin,) = formula.free_symbols
    assert sympy.simplify(formula + 1 / (1 + sympy.exp(margin))) == 0

    fit = minimize(
        gs.value_and_grad(loss), start, args=(X, y), jac=True, method="L-BFGS-B",
        options={"gtol": 1e-8, "ftol": 0, "maxiter": 10_000},
    )  # fmt: skip
    peer = LogisticRegression(C=1.0, solver="lbfgs", tol=1e-10, max_iter=10_000).fit(X, y)
    distance = np.max(np.abs(fit.x - np.append(peer.coef_, peer.intercept_)))
    accuracy = np.mean(np.sign(X @ fit.x[:-1] + fit.x[-1]) == y)
    print(f"accuracy {accuracy:.3f}; farthest coefficient from scikit-learn's: {distance:.1e}")
    assert distance < 1e-4
    assert accuracy > 0.98


if __name__ == "__main__":
    main()
