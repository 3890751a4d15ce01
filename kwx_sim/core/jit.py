"""The one place that sets numba's options, and the compiled cache's place on disk.

numba does not notice a changed callee in another file: a caller compiled earlier would keep the old rule in silence.
So the cache lives in a directory named by a hash of every kernel source and of the versions that compile them; the
processor is in the name of each file (core.cache). A machine where nothing can be written still works: kernels are
loaded where somebody has kept them, else compiled in each process.
"""

import hashlib
import os
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import llvmlite
import numba
import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray
from platformdirs import user_cache_path

from kwx_sim.core.cache import KernelCache

__all__ = ["CACHE_DIR", "CACHE_KEEPS", "SOURCE_HASH", "ctz", "inlined", "kernel", "popcount", "records"]


def _source_hash() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode())
        digest.update(path.read_bytes())
    versions = (platform.python_version(), numba.__version__, llvmlite.__version__)
    digest.update(" ".join(versions).encode())
    # What can be set from outside and changes the code: to numba's own cache it is all the same.
    digest.update(repr([getattr(numba.config, name, None) for name in _SETTINGS]).encode())
    return digest.hexdigest()[:16]


_SETTINGS = ("BOUNDSCHECK", "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "DEBUGINFO_DEFAULT")


def _cache_dir() -> tuple[Path | None, bool]:
    """The directory for compiled kernels and built tables, None where there is none, and whether it can be written."""
    asked = os.environ.get("NUMBA_CACHE_DIR")
    root = Path(asked) if asked else user_cache_path("kwx_sim", appauthor=False)
    path = root / f"kernels-{SOURCE_HASH}"
    try:
        path.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=path):
            os.utime(path)  # in use: what is not for long is removed
            return path, True
    except OSError:
        # Kept by somebody else, as in an image that is mounted read-only.
        return (path if os.access(path, os.R_OK | os.X_OK) else None), False


SOURCE_HASH = _source_hash()
CACHE_DIR, CACHE_KEEPS = _cache_dir()

_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "fastmath": False,
    # A wrapper for calls from C, of which there are none: 7% of the compilation.
    "no_cfunc_wrapper": True,
}
_COMPILE = numba.njit(**_OPTIONS)
_COMPILE_INLINED = numba.njit(**_OPTIONS, forceinline=True)


def kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a kernel: cached on disk, without the interpreter lock, integer arithmetic as in C."""
    return _one_signature(_COMPILE(function))


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile a small kernel into each of its callers, which the compiler by itself rarely does across functions.

    Measured on whole rounds: 72,000 to 85,000 a second with `efficient`, 224,000 to 276,000 with `random`, and the
    compilation no longer.
    """
    return _one_signature(_COMPILE_INLINED(function))


def _one_signature(compiled: Any) -> Callable[..., Any]:
    """Let kernels pass a seat or a tile to one another as int64, however they hold it.

    Left alone, numba compiles a callee again for each literal number and each width that it is called with: 341
    compilations of 194 kernels. Widened at the call, a cold compilation of everything took 56 s of processor time in
    place of 81, and rounds ran no slower.
    """
    if numba.config.DISABLE_JIT:
        return cast(Callable[..., Any], compiled)
    if CACHE_DIR is not None:
        compiled._cache = KernelCache(compiled.py_func, CACHE_DIR)
    resolve = compiled.get_call_template

    def widened(given: Any) -> Any:
        plain = types.unliteral(given)
        return types.int64 if plain in (types.uint8, types.int32) else plain

    def resolve_widened(args: Any, kws: Any) -> Any:
        return resolve(tuple(map(widened, args)), {name: widened(given) for name, given in kws.items()})

    compiled.get_call_template = resolve_widened
    return cast(Callable[..., Any], compiled)


if numba.config.DISABLE_JIT:
    # The plain-Python twins of the two instructions, for coverage runs.
    def popcount(x: int) -> int:
        """The number of one bits."""
        return int(x).bit_count()

    def ctz(x: int) -> int:
        """The position of the lowest one bit; x must not be 0."""
        value = int(x)
        return (value & -value).bit_length() - 1

else:

    @intrinsic
    def popcount(typingctx, x):
        """The number of one bits."""

        def codegen(context, builder, signature, args):
            return builder.ctpop(args[0])

        return x(x), codegen

    @intrinsic
    def ctz(typingctx, x):
        """The position of the lowest one bit; x must not be 0."""

        def codegen(context, builder, signature, args):
            is_zero_poison = context.get_constant(types.boolean, True)
            return builder.cttz(args[0], is_zero_poison)

        return x(x), codegen


def records(n: int, dtype: np.dtype[np.void]) -> NDArray[np.void]:
    """Zeroed records as kernels take them (with compilation off: such that fields read as attributes)."""
    made = np.zeros(n, dtype)
    return made.view(np.recarray) if numba.config.DISABLE_JIT else made
