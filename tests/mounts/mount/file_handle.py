"""Prints the first line of a file that is opened by its handle after the kernel dropped its caches."""
import ctypes
import os
import sys

libc = ctypes.CDLL(None, use_errno=True)


class Handle(ctypes.Structure):
    _fields_ = [("size", ctypes.c_uint), ("type", ctypes.c_int), ("bytes", ctypes.c_ubyte * 128)]


def check(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


handle = Handle(size=128)
AT_FDCWD = -100
check(libc.name_to_handle_at(AT_FDCWD, sys.argv[1].encode(), ctypes.byref(handle), ctypes.byref(ctypes.c_int()), 0))
with open("/proc/sys/vm/drop_caches", "w") as caches:
    caches.write("2")
mount = os.open(sys.argv[2], os.O_RDONLY)
with os.fdopen(check(libc.open_by_handle_at(mount, ctypes.byref(handle), os.O_RDONLY))) as file:
    print(file.readline(), end="")
