"""Stacks shared among threads: the same bits and reports, whoever calls, forks or interrupts."""

from __future__ import annotations

import ctypes
import os
import platform
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import numerics
from numerics import _kernels, linalg
from numerics._core import signature
from numerics._core.op import OPS

from cases.table import CASES

NATIVE = [name for name, op in OPS.items() if op.cpu is None and name.startswith("linalg.")]
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")


@pytest.fixture
def shared() -> Iterator[None]:
    """Let the smallest stack be shared by three threads, a matrix at a time."""
    threads = numerics.get_num_threads()
    factor = _kernels.exaggerate_durations(1e6)
    numerics.set_num_threads(3)
    yield
    numerics.set_num_threads(threads)
    _kernels.exaggerate_durations(factor)


def stack(count: int, n: int) -> np.ndarray:
    return np.random.default_rng(1).standard_normal((count, n, n)) + 2 * n * np.eye(n)


def problems(name: str, letter: str, size: int) -> tuple[tuple[np.ndarray, ...], dict[str, Any]]:
    """Some 30 problems of a case as one stack."""
    draws = [CASES[name].draw(np.random.default_rng(seed), letter, size) for seed in range(40)]
    single = [len(dimensions) for dimensions in signature.parse(OPS[name].signature).inputs]
    drawn = [next(p for p in draw if [a.ndim for a in p.arrays] == single) for draw in draws]
    shapes = [tuple(a.shape for a in problem.arrays) for problem in drawn]
    alike = [p for p, s in zip(drawn, shapes, strict=True) if s == shapes[0]]
    arrays = zip(*(p.arrays for p in alike), strict=True)
    return tuple(np.stack(group) for group in arrays), drawn[0].static


def bits(result: Any) -> list[bytes]:
    return [x.tobytes() for x in (result if isinstance(result, tuple) else (result,))]


# --- The same whatever the number of threads ----------------------------------------------------


@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("letter", "dF")
@pytest.mark.parametrize("name", NATIVE)
def test_results_have_the_same_bits_for_any_number_of_threads(
    shared: None, name: str, letter: str, threads: int
) -> None:
    arrays, static = problems(name, letter, 5)
    numerics.set_num_threads(1)
    want = OPS[name](*arrays, **static)

    numerics.set_num_threads(threads)
    found = OPS[name](*arrays, **static)

    assert bits(found) == bits(want)


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_a_shared_stack_has_the_bits_of_its_matrices_alone(shared: None, threads: int) -> None:
    a = stack(60, 6).reshape(3, 4, 5, 6, 6)[:, ::-1, ::2]
    numerics.set_num_threads(threads)

    found = linalg.inv(a)

    alone = [linalg.inv(a[i]).tobytes() for i in np.ndindex(a.shape[:3])]
    assert [found[i].tobytes() for i in np.ndindex(a.shape[:3])] == alone


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_failures_are_reported_in_order_whoever_met_them(shared: None, threads: int) -> None:
    a = stack(300, 3)
    a[[7, 150, 151, 299]] = 0
    numerics.set_num_threads(threads)

    with pytest.raises(linalg.LinAlgError) as raised:
        linalg.inv(a)

    numerics.set_num_threads(1)
    _kernels.exaggerate_durations(1.0)
    with pytest.raises(linalg.LinAlgError) as alone:
        linalg.inv(a)
    assert str(raised.value) == str(alone.value)
    assert "(and 3 more of 300)" in str(raised.value)
    assert "`a`[7]" in str(raised.value)


def test_infos_and_nan_stand_at_the_matrices_that_failed(shared: None) -> None:
    a = stack(200, 3)
    a[[3, 90, 199]] = 0

    inverse, info = linalg.inv_ex(a)

    assert np.flatnonzero(info).tolist() == [3, 90, 199]
    assert np.flatnonzero(np.isnan(inverse).any((1, 2))).tolist() == [3, 90, 199]


def test_one_complex_eigenvalue_anywhere_makes_the_result_complex(shared: None) -> None:
    a = np.tile(np.diag([1.0, 2.0]), (200, 1, 1))
    a[150] = [[0, 1], [-1, 0]]

    assert linalg.eigvals(a).dtype == complex
    assert linalg.eigvals(a[:150]).dtype == float


def test_an_overflow_anywhere_is_treated_as_errstate_says(shared: None) -> None:
    a = stack(200, 2)
    a[150] *= 1e200

    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        linalg.det(a)


def test_each_matrix_has_its_own_tolerance(shared: None) -> None:
    a = np.tile(np.diag([1.0, 1e-3]), (100, 1, 1))
    rcond = np.where(np.arange(100) % 3 == 0, 1e-2, 1e-4)

    rank = linalg.lstsq(a, np.ones((100, 2, 1)), rcond=rcond)[2]

    assert rank.tolist() == np.where(np.arange(100) % 3 == 0, 1, 2).tolist()


@pytest.mark.skipif(platform.machine() != "x86_64", reason="the number of the mode is that of x86")
@pytest.mark.skipif(sys.platform == "win32", reason="the C library has another name")
def test_a_helper_rounds_as_its_caller_does(shared: None) -> None:
    a = stack(400, 3)
    library, downwards = ctypes.CDLL(None), 0x400
    nearest = linalg.inv(a)
    library.fesetround(downwards)
    try:
        found = linalg.inv(a)
        alone = np.stack([linalg.inv(x) for x in a])
    finally:
        library.fesetround(0)

    assert found.tobytes() == alone.tobytes() != nearest.tobytes()


# --- Who calls ----------------------------------------------------------------------------------


def test_many_threads_may_call_at_once(shared: None) -> None:
    a = stack(100, 6)
    want = [linalg.inv(a).tobytes(), bits(linalg.eigh(a))]
    found: list[Any] = []

    def call() -> None:
        found.extend([linalg.inv(a).tobytes(), bits(linalg.eigh(a))] for _ in range(20))

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()

    assert found == [want] * 160


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a program in which the smallest stack is shared by three threads."""
    start = """
        import os, signal, sys, threading, time, warnings
        import numpy as np
        import numerics
        from numerics import _kernels, linalg

        numerics.set_num_threads(3)
        _kernels.exaggerate_durations(1e4)
        a = np.random.default_rng(1).standard_normal((300, 6, 6))
        want = linalg.inv(a).tobytes()

        def is_right():
            return linalg.inv(a).tobytes() == want
    """
    program = textwrap.dedent(start) + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def told(code: str, **environment: str) -> tuple[int, str, str]:
    result = run(code, **environment)
    return result.returncode, result.stdout.strip(), result.stderr


def test_no_thread_is_started_before_a_stack_is_worth_it() -> None:
    count = "len(os.listdir('/proc/self/task'))"
    code = f"""
        import os
        before = {count}
        import numpy as np
        import numerics
        from numerics import linalg
        numerics.set_num_threads(4)
        linalg.inv(np.eye(50)), linalg.inv(np.ones((3, 2, 2)) + np.eye(2))
        print({count} - before)
    """
    if not os.path.exists("/proc/self/task"):
        pytest.skip("threads are counted in /proc")

    result = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code)],
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
    )

    assert result.stdout == "0\n"


@forks
def test_a_fork_finds_no_thread_of_ours_and_all_generations_compute() -> None:
    code = """
        warnings.simplefilter("error")

        def generation(n):
            assert is_right()
            if n == 0:
                return
            for _ in range(10):
                pid = os.fork()
                if pid == 0:
                    generation(n - 1)
                    os._exit(0)
                assert os.waitpid(pid, 0)[1] == 0
                assert is_right()

        generation(2)
        print("right")
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "right", "")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="threads are counted in /proc")
def test_no_thread_of_ours_is_counted_at_a_fork() -> None:
    """As Python 3.12 counts, which warns of others than the one."""
    code = """
        counts = []
        os.register_at_fork(
            after_in_parent=lambda: counts.append(len(os.listdir("/proc/self/task")))
        )
        before = []
        for _ in range(100):
            assert is_right()
            before.append(len(os.listdir("/proc/self/task")))
            pid = os.fork()
            if pid == 0:
                os._exit(0)
            os.waitpid(pid, 0)
        print(set(before), set(counts))
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "{3} {1}", "")


@forks
def test_a_process_may_fork_while_its_threads_compute() -> None:
    code = """
        warnings.simplefilter("ignore", DeprecationWarning)  # of the program's own threads
        done = False

        def call():
            while not done:
                assert is_right()

        callers = [threading.Thread(target=call) for _ in range(8)]
        for caller in callers:
            caller.start()
        for _ in range(20):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if is_right() else 1)
            assert os.waitpid(pid, 0)[1] == 0
        done = True
        for caller in callers:
            caller.join()
        print("right")
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "right", "")


@forks
def test_eight_threads_may_call_any_functions_on_shared_arrays_between_forks() -> None:
    code = """
        warnings.simplefilter("ignore", DeprecationWarning)  # of the program's own threads
        small, large = a[:100, :4, :4], np.random.default_rng(2).standard_normal((20, 20, 20))
        definite = a @ a.mT + np.eye(6)
        calls = [
            lambda: linalg.solve(a, definite),
            lambda: linalg.det(small),
            lambda: linalg.slogdet(large)[1],
            lambda: linalg.cholesky(definite),
            lambda: linalg.eigvalsh(definite),
            lambda: linalg.svdvals(large),
            lambda: linalg.matmul(a, definite),
            lambda: linalg.matrix_norm(large),
        ]
        wanted = [call().tobytes() for call in calls]
        wrong, done = [], False

        def call_all(first):
            turn = first
            while not done:
                if calls[turn % 8]().tobytes() != wanted[turn % 8]:
                    wrong.append(turn % 8)
                turn += 1

        callers = [threading.Thread(target=call_all, args=(i,)) for i in range(8)]
        for caller in callers:
            caller.start()
        for _ in range(10):
            pid = os.fork()
            if pid == 0:
                right = [call().tobytes() for call in calls] == wanted
                os._exit(0 if right else 1)
            if os.waitpid(pid, 0)[1] != 0:
                wrong.append(pid)
        done = True
        for caller in callers:
            caller.join()
        print(wrong)
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "[]", "")


@forks
def test_a_pool_of_forked_processes_computes() -> None:
    code = """
        import multiprocessing

        warnings.simplefilter("error")

        def check(_):
            return is_right()

        with multiprocessing.get_context("fork").Pool(2) as pool:
            print(all(pool.map(check, range(20))))
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "True", "")


# --- Interrupts ---------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.skipif(sys.platform == "win32", reason="no way to send one process a Ctrl-C")
def test_ctrl_c_ends_a_long_stack(threads: int) -> None:
    code = f"""
        numerics.set_num_threads({threads})
        signal.signal(signal.SIGINT, signal.default_int_handler)
        long = np.broadcast_to(np.random.default_rng(1).standard_normal((60, 60)), (40000, 60, 60))
        threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
        start = time.monotonic()
        try:
            linalg.eigvals(long)
        except KeyboardInterrupt:
            print("interrupted", time.monotonic() - start < 10, is_right())
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "interrupted True True", "")


@pytest.mark.skipif(sys.platform == "win32", reason="no timer signals")
def test_signal_handlers_run_during_a_long_stack_and_may_compute_and_fork() -> None:
    code = """
        warnings.simplefilter("error")
        seen = []

        def handle(number, frame):
            pid = os.fork()
            if pid == 0:
                os._exit(0 if is_right() else 1)
            seen.append(is_right() and os.waitpid(pid, 0)[1] == 0)

        signal.signal(signal.SIGALRM, handle)
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        long = np.tile(a, (1500, 1, 1))
        b = linalg.inv(long)
        print(seen, all(x.tobytes() == want for x in b.reshape(-1, *a.shape)))
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "[True] True", "")


def test_a_process_ends_while_a_daemon_thread_computes() -> None:
    code = """
        def call():
            while True:
                linalg.inv(a)

        for _ in range(3):
            threading.Thread(target=call, daemon=True).start()
        time.sleep(0.2)
        print("over")
    """

    assert told(code, OPENBLAS_NUM_THREADS="1") == (0, "over", "")


# --- Settings -----------------------------------------------------------------------------------


def threads_with(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-P", "-c", "import numerics; print(numerics.get_num_threads())"],
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )


def test_the_number_of_threads_is_at_first_that_of_the_usable_processors() -> None:
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()

    assert threads_with(NUMERICS_NUM_THREADS="").stdout == f"{usable}\n"


def test_the_environment_sets_the_number_of_threads() -> None:
    assert threads_with(NUMERICS_NUM_THREADS="5").stdout == "5\n"


@pytest.mark.parametrize("text", ["0", "-1", "1025", "two", "2.0"])
def test_no_number_of_threads_in_the_environment_is_an_error_at_import(text: str) -> None:
    result = threads_with(NUMERICS_NUM_THREADS=text)

    assert result.returncode == 1
    assert (
        f"ImportError: NUMERICS_NUM_THREADS: must be an integer from 1 to 1024, it is '{text}'"
        in result.stderr
    )


def test_what_is_set_is_what_is_got(shared: None) -> None:
    numerics.set_num_threads(np.int64(5))  # type: ignore[arg-type]

    assert numerics.get_num_threads() == 5


@pytest.mark.parametrize("n", [0, -3, 1025, 10**30])
def test_a_number_of_threads_out_of_range_is_an_error(n: int) -> None:
    with pytest.raises(ValueError, match=rf"^set_num_threads: `n` must be 1 to 1024, it is {n}$"):
        numerics.set_num_threads(n)


@pytest.mark.parametrize("n", [2.0, "2", None])
def test_a_number_of_threads_that_is_no_integer_is_an_error(n: Any) -> None:
    message = f"set_num_threads: `n` must be an integer, it is {n!r} of type {type(n).__name__}"

    with pytest.raises(TypeError) as raised:
        numerics.set_num_threads(n)

    assert str(raised.value) == message


# --- threadpoolctl ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "imports",
    [
        "import numerics, threadpoolctl",
        "import threadpoolctl, numerics",
        "import numerics, importlib.util; importlib.util.find_spec('threadpoolctl'); "
        "import threadpoolctl",
    ],
    ids=["numerics first", "numerics last", "looked for before it is imported"],
)
def test_threadpoolctl_shows_and_limits_our_threads(imports: str) -> None:
    pytest.importorskip("threadpoolctl")
    code = f"""
        {imports}
        numerics.set_num_threads(3)
        ours = [i for i in threadpoolctl.threadpool_info() if i["user_api"] == "numerics"]
        print([i["num_threads"] for i in ours])
        with threadpoolctl.threadpool_limits(limits=1, user_api="numerics"):
            print(numerics.get_num_threads())
        with threadpoolctl.threadpool_limits(limits=2):
            print(numerics.get_num_threads())
        print(numerics.get_num_threads())
        print(type(threadpoolctl.__loader__).__name__)
    """

    result = subprocess.run(
        [sys.executable, "-P", "-c", textwrap.dedent(code)], capture_output=True, text=True
    )

    assert (result.stdout.split(), result.stderr) == (
        ["[3]", "1", "2", "3", "SourceFileLoader"],
        "",
    )


def test_numerics_does_not_import_threadpoolctl() -> None:
    code = "import sys, numerics; print('threadpoolctl' in sys.modules)"

    result = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True)

    assert result.stdout == "False\n"
