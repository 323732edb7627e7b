"""Takes the kernel lock of argv[1] as the peer does, with its record, and holds it: hold-lock.py PATH [fork]

With `fork` a child inherits the open file and sleeps, so the lock outlives this process when it is killed. Prints its
id, and that of the child."""
import fcntl
import json
import os
import sys
import time

path = sys.argv[1]
handle = open(path, "a+")
fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
with open("/proc/self/stat", "rb") as stat:
    ticks = int(stat.read().rsplit(b")", 1)[1].split()[19])
handle.truncate(0)
handle.write(json.dumps({"acquired_at": time.time(), "pid": os.getpid(), "start_ticks": ticks}, sort_keys=True))
handle.flush()

child = 0
if "fork" in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        # A child that keeps the pipes open would keep the test waiting for their end.
        null = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1, 2):
            os.dup2(null, descriptor)
        time.sleep(60)
        os._exit(0)
print(json.dumps({"pid": os.getpid(), "child": child}), flush=True)
time.sleep(60)
