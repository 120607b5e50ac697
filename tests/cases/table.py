"""All cases by name."""

from cases import Case
from cases.factorizations import FACTORIZATIONS
from cases.functions import FUNCTIONS
from cases.linalg import LINALG
from cases.norms import NORMS
from cases.products import PRODUCTS
from cases.solvers import SOLVERS
from cases.special import SPECIAL

CASES: dict[str, Case] = {
    case.name: case
    for case in (*LINALG, *FACTORIZATIONS, *FUNCTIONS, *NORMS, *PRODUCTS, *SOLVERS, *SPECIAL)
}
