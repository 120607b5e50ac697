"""The figures that ``numerics demo`` stands on, and the way it counts digits."""

from decimal import Decimal
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest

from numerics._commands import demo

DATASETS = ["longley", "filip"]


def decimal_design(name, observations):
    """Design matrix and response in mpmath's numbers, from the decimals as printed."""
    rows = [[mpmath.mpf(word) for word in line] for line in observations]
    powers = [[row[1] ** k for k in range(11)] for row in rows]
    design = powers if name == "filip" else [[1, *row[1:]] for row in rows]
    return mpmath.matrix(design), mpmath.matrix([row[0] for row in rows])


def regression(name, observations):
    """Coefficients, their standard deviations, and the residual standard deviation."""
    X, y = decimal_design(name, observations)
    inverse = mpmath.inverse(X.T * X)
    beta = inverse * (X.T * y)
    residual = y - X * beta
    deviation = mpmath.sqrt((residual.T * residual)[0] / (X.rows - X.cols))
    errors = [deviation * mpmath.sqrt(inverse[j, j]) for j in range(X.cols)]
    return list(beta), errors, deviation


def certified_words(table):
    """All certified figures of a table as printed: coefficients, their errors, and the residual."""
    _, coefficients, errors = zip(*table["certified"], strict=True)
    return [*coefficients, *errors, *table["residual standard deviation"][0]]


def wrong_figures(name, table):
    """Certified figures of a table that the regression on its observations does not round to."""
    with mpmath.workdps(500):
        beta, errors, deviation = regression(name, table["observations"])
        computed = [Decimal(mpmath.nstr(value, 40)) for value in (*beta, *errors, deviation)]
    printed = certified_words(table)
    pairs = zip(printed, computed, strict=True)
    return [word for word, value in pairs if value.quantize(Decimal(word)) != Decimal(word)]


@pytest.mark.parametrize("name", DATASETS)
def test_every_certified_figure_has_fifteen_digits(name):
    table = demo.sections(name)

    lengths = {len(Decimal(word).as_tuple().digits) for word in certified_words(table)}

    assert lengths == {15}


@pytest.mark.parametrize("name", DATASETS)
def test_certified_figures_follow_from_the_observations_to_the_last_digit(name):
    table = demo.sections(name)

    assert wrong_figures(name, table) == []


@pytest.mark.parametrize("name", DATASETS)
def test_a_wrong_digit_in_an_observation_is_noticed(name):
    table = demo.sections(name)
    first = table["observations"][0]
    first[-1] = first[-1][:-1] + ("3" if first[-1][-1] != "3" else "4")

    assert len(wrong_figures(name, table)) > 10


@pytest.mark.parametrize("name", DATASETS)
def test_a_wrong_last_digit_in_a_certified_figure_is_noticed(name):
    table = demo.sections(name)
    figure = Decimal(table["certified"][2][1])
    planted = str(figure + Decimal((0, (1,), figure.as_tuple().exponent)))
    table["certified"][2][1] = planted

    assert wrong_figures(name, table) == [planted]


@pytest.mark.parametrize(("name", "shape"), [("longley", (16, 7)), ("filip", (82, 11))])
def test_read_gives_the_table_in_float64(name, shape):
    data = demo.read(name)

    assert data.design.shape == shape
    assert data.y.shape == shape[:1]
    assert data.certified.shape == shape[1:]
    assert {data.design.dtype, data.y.dtype, data.certified.dtype} == {np.dtype(np.float64)}


@pytest.mark.parametrize(
    ("computed", "reference", "expected"),
    [
        (1.001, 1.0, 3.0),
        (-99.99, -100.0, 4.0),
        (2.0000001e-30, 2e-30, 7.30103),
        (1.0, 1.0, 15.0),
        (1.0 + 2**-52, 1.0, 15.0),
        (1e-5, 0.0, 5.0),
        (0.0, 0.0, 15.0),
        (20.0, 1.0, 0.0),
        (np.inf, 1.0, 0.0),
        (np.nan, 1.0, 0.0),
    ],
)
def test_digits_are_the_log_relative_error_between_0_and_15(computed, reference, expected):
    found = demo.digits(np.array([computed]), np.array([reference]))

    np.testing.assert_allclose(found, [expected], atol=1e-6)


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("error", [1e-3, 1e-6, 1e-11])
def test_digits_find_a_planted_error_in_one_coefficient(name, error):
    certified = demo.read(name).certified
    planted = certified.copy()
    planted[-2] *= 1 + error

    agreeing = demo.digits(planted, certified)

    assert agreeing.min() == pytest.approx(-np.log10(error), abs=1e-3)
    assert np.delete(agreeing, -2).min() == 15.0


@pytest.mark.parametrize("name", DATASETS)
def test_exact_fit_is_the_fit_of_the_rounded_table(name):
    data = demo.read(name)

    with mpmath.workdps(500):
        X, y = mpmath.matrix(data.design.tolist()), mpmath.matrix(data.y.tolist())
        expected = [float(value) for value in mpmath.lu_solve(X.T * X, X.T * y)]

    np.testing.assert_array_equal(demo.exact_fit(data.design, data.y), expected)


@pytest.mark.parametrize(
    ("function", "truth"),
    [
        ("solve", lambda a, b: mpmath.lu_solve(a, b).tolist()),
        ("inv", lambda a, b: mpmath.inverse(a).tolist()),
        ("det", lambda a, b: mpmath.det(a)),
        ("cholesky", lambda a, b: mpmath.cholesky(a).tolist()),
    ],
)
def test_exact_stack_gives_what_mpmath_gives(function, truth):
    A, b = (part[::300] for part in demo.subsets(demo.read("longley"), 12))

    found = demo.exact_stack(A, b)[function]

    with mpmath.workdps(60):
        pairs = [
            (mpmath.matrix(a.tolist()), mpmath.matrix(side.tolist()))
            for a, side in zip(A, b, strict=True)
        ]
        expected = np.array([truth(*pair) for pair in pairs], dtype=np.float64)
    np.testing.assert_array_max_ulp(found, expected, maxulp=3)


def test_the_table_shows_a_library_that_is_worse(monkeypatch, capsys):
    worse = SimpleNamespace(solve=lambda A, b: np.linalg.solve(A, b) * (1 + 1e-3))
    monkeypatch.setattr(demo, "LIBRARIES", {"numpy": np.linalg, "numerics": worse})

    demo.show_single(demo.read("longley"), seconds=0.0)

    tiny, larger = capsys.readouterr().out.splitlines()[-2:]
    assert tiny.split()[2:8] == ["15.0", "/", "15.0", "3.0", "/", "3.0"]
    assert larger.split()[5:8] == ["3.0", "/", "3.0"]


def test_the_table_shows_a_library_that_fails(capsys):
    singular, reference = np.zeros((2, 2)), np.ones(2)
    calls = [lambda: reference, lambda: np.linalg.solve(singular, reference)]

    demo.print_row("singular", calls, reference, seconds=0.0)

    assert capsys.readouterr().out.split() == ["singular", "15.0", "/", "15.0", "fails"]


def test_demo_prints_three_tables_within_100_columns(capsys):
    status = demo.main(["--seconds", "0"])

    lines = capsys.readouterr().out.splitlines()
    assert status == 0
    assert sum(line.endswith("x") for line in lines) == demo.TABLE_ROWS
    assert max(map(len, lines)) <= 100
