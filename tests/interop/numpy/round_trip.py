# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""NumPy and Lathe exchange arrays by DLPack, in one process and without copying.

    round_trip.py LIBRARY      (made of library.cpp)
"""
import ctypes
import gc
import sys
import unittest
import weakref

import numpy as np

UNUSED, USED = b"dltensor", b"used_dltensor"  # a capsule keeps a pointer to its name
lathe = ctypes.CDLL(sys.argv.pop(1))
lathe.last_error.restype = ctypes.c_char_p
lathe.fill.argtypes = [ctypes.c_void_p, ctypes.c_float]
TYPES = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]

python = ctypes.pythonapi
python.PyCapsule_New.restype = ctypes.py_object
python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
python.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]


def taken(array):
    """The tensor of an array, of which the receiver has to call the deleter."""
    capsule = array.__dlpack__()
    tensor = python.PyCapsule_GetPointer(capsule, UNUSED)
    python.PyCapsule_SetName(capsule, USED)
    return ctypes.c_void_p(tensor)


class Given:
    """What np.from_dlpack reads: an object with a tensor of Lathe's."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, stream=None):
        return python.PyCapsule_New(self.tensor, UNUSED, None)

    def __dlpack_device__(self):
        return (1, 0)


def given(function, *arguments):
    tensor = ctypes.c_void_p()
    assert function(*arguments, ctypes.byref(tensor)) == 0, lathe.last_error()
    return np.from_dlpack(Given(tensor))


class FromNumpy(unittest.TestCase):
    def weighted_sum(self, array):
        result = ctypes.c_double()
        self.assertEqual(lathe.weighted_sum(taken(array), array.dtype.name.encode(), ctypes.byref(result)), 0, lathe.last_error())
        return result.value

    def expected(self, array):
        i, j = np.indices(array.shape)
        return float((array.astype(np.float64) * (1 + 10 * i + j)).sum())

    def test_every_type(self):
        for name in TYPES:
            array = np.arange(12).reshape(3, 4).astype(name)
            if array.dtype.kind != "u":
                array -= 5
            self.assertEqual(self.weighted_sum(array), self.expected(array), name)

    def test_strides_and_offsets(self):
        array = np.arange(120, dtype=np.int16).reshape(10, 12)
        for part in (array.T, array[2:, 3:], array[::3, 1::2], array[::-1, ::-2], array[4:5], array[:, 7:8], array[:0]):
            self.assertEqual(self.weighted_sum(part), self.expected(part))
        self.assertEqual(self.weighted_sum(np.broadcast_to(array[3], (5, 12)).copy()), self.expected(np.tile(array[3], (5, 1))))

    def test_kernel(self):
        a = np.arange(35, dtype=np.float32).reshape(5, 7) - 9
        b = np.asfortranarray(np.arange(42, dtype=np.float32).reshape(7, 6) - 20)
        c = given(lathe.product, taken(a), taken(b))
        self.assertEqual((c.dtype, c.shape, c.flags.c_contiguous), (np.float32, (5, 6), True))
        np.testing.assert_array_equal(c, a @ b)
        # Each array is given back: nobody but this function knows it any more.
        self.assertEqual((sys.getrefcount(a), sys.getrefcount(b)), (2, 2))

    def test_kernel_refuses_the_wrong_order(self):
        a = np.ones((5, 7), np.float32, order="F")
        b = np.ones((7, 6), np.float32, order="F")
        c = ctypes.c_void_p()
        self.assertEqual(lathe.product(taken(a), taken(b), ctypes.byref(c)), 1)
        self.assertEqual(lathe.last_error(), b"K002")
        self.assertEqual((sys.getrefcount(a), sys.getrefcount(b)), (2, 2))

    def test_elements_are_written_in_place(self):
        array = np.zeros(7, np.float32)
        self.assertEqual(lathe.fill(taken(array[1::2]), 2.5), 0)
        self.assertEqual(array.tolist(), [0, 2.5, 0, 2.5, 0, 2.5, 0])

    def test_lives_as_long_as_it_is_held(self):
        array = np.arange(4, dtype=np.float32)
        watch = weakref.ref(array)
        self.assertEqual(lathe.hold(taken(array)), 0)
        del array
        gc.collect()
        self.assertIsNotNone(watch())
        lathe.let_go()
        self.assertIsNone(watch())

    def test_refusals_give_back(self):
        for array, code in (
            (np.zeros(4, np.float64), b"I003"),
            (np.zeros(4, np.int32), b"I003"),
            (np.zeros(4, np.complex64), b"I003"),
            (np.zeros((2, 2), np.float32), b"I005"),
        ):
            self.assertEqual(lathe.fill(taken(array), 1), 1)
            self.assertEqual(lathe.last_error(), code)
            self.assertEqual(sys.getrefcount(array), 3)  # this loop has one more
            self.assertFalse(array.any())


class ToNumpy(unittest.TestCase):
    def test_every_type(self):
        for name in TYPES:
            address = ctypes.c_void_p()
            tensor = ctypes.c_void_p()
            self.assertEqual(lathe.make(name.encode(), ctypes.byref(tensor), ctypes.byref(address)), 0)
            array = np.from_dlpack(Given(tensor))
            self.assertEqual(array.dtype, np.dtype(name))
            self.assertEqual(array.ctypes.data, address.value)
            np.testing.assert_array_equal(array, np.arange(24).reshape(2, 3, 4).astype(name))
            part = array[1, :, 2]
            del array
            gc.collect()
            self.assertEqual(lathe.alive_exports(), 1)  # a part keeps the whole
            self.assertEqual(part.tolist(), [14, 18, 22])
            del part
            gc.collect()
            self.assertEqual(lathe.alive_exports(), 0, name)

    def test_strides(self):
        array = given(lathe.make_strided)
        self.assertEqual(array.tolist(), [[0, 10, 20], [2, 12, 22]])

    def test_and_back(self):
        a = np.eye(3, dtype=np.float32)
        b = np.asfortranarray(np.arange(9, dtype=np.float32).reshape(3, 3))
        once = given(lathe.product, taken(a), taken(b))
        once = once.copy()  # NumPy 1 makes what it gets read-only, and exports nothing that is
        np.testing.assert_array_equal(given(lathe.product, taken(once), taken(b)), b @ b)


if __name__ == "__main__":
    unittest.main()
