"""A row of 27 bytes as four words.

An intrinsic, because a kernel that is handed an array counts a reference to it, which costs more than reading the row.
"""

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

__all__ = ["row_words"]

STARTS = (0, 8, 16, 19)

if numba.config.DISABLE_JIT:

    def row_words(rows, n):  # type: ignore[no-untyped-def]  # as below
        """Bytes 0-7, 8-15, 16-23 and 19-26 of row n of a C-contiguous (n, 27) uint8 array, the first lowest."""
        row = rows[n].tobytes()
        return tuple(np.uint64(int.from_bytes(row[start : start + 8], "little")) for start in STARTS)

else:

    @intrinsic
    def row_words(typingctx, rows, n):  # type: ignore[no-untyped-def]  # numba gives the types
        """Bytes 0-7, 8-15, 16-23 and 19-26 of row n of a C-contiguous (n, 27) uint8 array, the first lowest."""
        words = types.UniTuple(types.uint64, len(STARTS))

        def codegen(context, builder, signature, args):  # type: ignore[no-untyped-def]
            array = context.make_array(signature.args[0])(context, builder, args[0])
            row = builder.mul(args[1], builder.extract_value(array.strides, 0))
            pointer = context.get_value_type(types.uint64).as_pointer()
            loaded = []
            for start in STARTS:
                place = builder.add(row, context.get_constant(types.intp, start))
                loaded.append(builder.load(builder.bitcast(builder.gep(array.data, [place]), pointer), align=1))
            return context.make_tuple(builder, words, loaded)

        return words(rows, types.intp), codegen
