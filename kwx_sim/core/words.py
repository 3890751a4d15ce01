"""A row of 27 bytes as four words, read and written.

Intrinsics, because a kernel that is handed an array counts a reference to it, which costs more than the row itself.
"""

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

__all__ = ["row_words", "set_row_words"]

STARTS = (0, 8, 16, 19)
WORDS = types.UniTuple(types.uint64, len(STARTS))

if numba.config.DISABLE_JIT:

    def row_words(rows, n):
        """Bytes 0-7, 8-15, 16-23 and 19-26 of row n of a C-contiguous (n, 27) uint8 array, the first lowest."""
        row = rows[n].tobytes()
        return tuple(np.uint64(int.from_bytes(row[start : start + 8], "little")) for start in STARTS)

    def set_row_words(rows, n, words):
        """Write the same bytes of row n of a C-contiguous (n, 27) array of bytes or bools."""
        row = rows[n].view(np.uint8)
        for start, word in zip(STARTS, words, strict=True):
            row[start : start + 8] = np.frombuffer(int(word).to_bytes(8, "little"), np.uint8)

else:

    def _word_pointers(context, builder, array_type, array, n):
        """Pointers to the words of a row."""
        struct = context.make_array(array_type)(context, builder, array)
        data = builder.bitcast(struct.data, context.get_value_type(types.uint8).as_pointer())
        row = builder.mul(n, builder.extract_value(struct.strides, 0))
        pointer = context.get_value_type(types.uint64).as_pointer()
        for start in STARTS:
            place = builder.add(row, context.get_constant(types.intp, start))
            yield builder.bitcast(builder.gep(data, [place]), pointer)

    @intrinsic
    def row_words(typingctx, rows, n):
        """Bytes 0-7, 8-15, 16-23 and 19-26 of row n of a C-contiguous (n, 27) uint8 array, the first lowest."""

        def codegen(context, builder, signature, args):
            pointers = _word_pointers(context, builder, signature.args[0], *args)
            return context.make_tuple(builder, WORDS, [builder.load(pointer, align=1) for pointer in pointers])

        return WORDS(rows, types.intp), codegen

    @intrinsic
    def set_row_words(typingctx, rows, n, words):
        """Write the same bytes of row n of a C-contiguous (n, 27) array of bytes or bools."""

        def codegen(context, builder, signature, args):
            array, n, values = args
            for number, pointer in enumerate(_word_pointers(context, builder, signature.args[0], array, n)):
                builder.store(builder.extract_value(values, number), pointer, align=1)
            return context.get_dummy_value()

        return types.none(rows, types.intp, WORDS), codegen
