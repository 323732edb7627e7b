"""A process that uses a store through Python's standard sqlite3 module, told what to do line by line.

Each line on stdin is a JSON object {"id", "op", ...}; each line on stdout is a JSON object with the same id:
{"event": "started"} as soon as a long operation is under way, then {"result"} or {"error": {"type", "message"}}.
"""

import fcntl
import hashlib
import json
import os
import random
import sqlite3
import sys
import time

databases = {}
locks = {}
current_id = None


def say(body):
    sys.stdout.write(json.dumps({"id": current_id, **body}) + "\n")
    sys.stdout.flush()


def started():
    say({"event": "started"})


def plain(value):
    return {"hex": value.hex()} if isinstance(value, bytes) else value


def bound(value):
    return bytes.fromhex(value["hex"]) if isinstance(value, dict) else value


def columns(db, table):
    return [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]


def connect(path, read_only=False, timeout=1.0):
    """The connection settings of the peer: manual transactions, one second of busy timeout, foreign keys on."""
    if read_only:
        db = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=timeout, isolation_level=None)
    else:
        db = sqlite3.connect(path, timeout=timeout, isolation_level=None)
        db.execute("PRAGMA foreign_keys=ON")
    return db


def write(db, body, patience=60.0):
    """One BEGIN IMMEDIATE transaction, retried with jitter while another process holds the file."""
    deadline = time.monotonic() + patience
    while True:
        try:
            db.execute("BEGIN IMMEDIATE")
            try:
                result = body()
                db.execute("COMMIT")
                return result
            except BaseException:
                if db.in_transaction:
                    db.execute("ROLLBACK")
                raise
        except sqlite3.OperationalError as error:
            text = str(error).lower()
            if ("locked" not in text and "busy" not in text) or time.monotonic() > deadline:
                raise
            time.sleep(random.uniform(0.02, 0.15))


def insert(db, table, row):
    known = [name for name in row if name in columns(db, table)]
    names = ", ".join(f'"{name}"' for name in known)
    marks = ", ".join("?" for _ in known)
    return db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({marks})', [bound(row[name]) for name in known]).lastrowid


def append(db, session_id, message, patience=60.0):
    row = {"role": "user", "content": None, "timestamp": time.time(), "observed": 0, "active": 1, "compacted": 0}
    row.update(message)
    row["session_id"] = session_id
    calls = row.get("tool_calls")
    if isinstance(calls, list):
        row["tool_calls"] = json.dumps(calls) if calls else None
    if isinstance(row["content"], (list, dict)) and "hex" not in row["content"]:
        row["content"] = "\x00json:" + json.dumps(row["content"])
    count = len(calls) if isinstance(calls, list) else 0

    def body():
        rowid = insert(db, "messages", row)
        db.execute(
            "UPDATE sessions SET message_count = message_count + 1, tool_call_count = tool_call_count + ? WHERE id = ?",
            (count, session_id),
        )
        return rowid

    return write(db, body, patience)


def op_open(path, name, readOnly=False, timeoutSeconds=1.0):
    databases[name] = connect(path, readOnly, timeoutSeconds)


def op_close(name):
    databases.pop(name).close()


def op_sql(name, sql, params=()):
    cursor = databases[name].execute(sql, [bound(value) for value in params])
    if cursor.description is None:
        return []
    names = [item[0] for item in cursor.description]
    return [{key: plain(value) for key, value in zip(names, row)} for row in cursor]


def op_script(name, statements):
    db = databases[name]
    for statement in statements:
        db.execute(statement)


def op_create_session(name, row):
    db = databases[name]
    full = {"source": "peer", "started_at": time.time(), **row}
    write(db, lambda: insert(db, "sessions", full))


def op_append(name, sessionId, message):
    return append(databases[name], sessionId, message)


def op_append_many(name, sessionId, count, prefix, everyMs=0):
    ids = []
    for index in range(count):
        ids.append(append(databases[name], sessionId, {"role": "user", "content": f"{prefix} {index}"}))
        if index == 0:
            started()
        if everyMs:
            time.sleep(everyMs / 1000)
    return ids


def op_hold_write_lock(name, ms):
    db = databases[name]
    db.execute("BEGIN IMMEDIATE")
    try:
        started()
        time.sleep(ms / 1000)
    finally:
        db.execute("ROLLBACK")


def op_try_write_lock(name):
    """Whether the write lock could be had at this moment."""
    db = databases[name]
    db.execute("PRAGMA busy_timeout=0")
    try:
        db.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    db.execute("ROLLBACK")
    return True


def op_fts_check(name, table):
    """The rank-1 form of the FTS5 integrity check: index against content."""
    db = databases[name]
    try:
        write(db, lambda: db.execute(f"INSERT INTO {table}({table}, rank) VALUES ('integrity-check', 1)") and None)
    except sqlite3.DatabaseError as error:
        return str(error)
    return "ok"


def op_hash_rows(path, shape=None, exclude=()):
    """SHA-256 of every canonical row, by column name; `shape` of an earlier call limits it to what was there then."""
    db = connect(path, read_only=True, timeout=30.0)
    try:
        tables = [
            row[0]
            for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
            if not row[0].startswith(("sqlite_", "messages_fts", "fts_v22_trash_"))
        ]
        shape = shape or {
            table: [column for column in columns(db, table) if f"{table}.{column}" not in exclude]
            for table in tables
            if table not in exclude
        }
        db.text_factory = bytes  # as stored, whatever its encoding
        hashes = {}
        counts = {}
        for table, names in sorted(shape.items()):
            listed = ", ".join(f'"{name}"' for name in names)
            digest = hashlib.sha256()
            counts[table] = 0
            for line in sorted(repr(row) for row in db.execute(f'SELECT {listed} FROM "{table}"')):
                digest.update(line.encode() + b"\n")
                counts[table] += 1
            hashes[table] = digest.hexdigest()
        return {"shape": shape, "hashes": hashes, "counts": counts}
    finally:
        db.close()


def op_flock(path, blocking=False):
    handle = open(path, "a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if blocking else fcntl.LOCK_NB))
    except OSError:
        handle.close()
        return False
    locks[path] = handle
    return True


def op_unflock(path):
    locks.pop(path).close()


def op_ping():
    return {"pid": os.getpid(), "sqlite": sqlite3.sqlite_version}


def serve():
    global current_id
    for line in sys.stdin:
        request = json.loads(line)
        current_id = request.pop("id")
        operation = globals()["op_" + request.pop("op")]
        try:
            say({"result": operation(**request)})
        except Exception as error:  # every failure is the answer to its request
            say({"error": {"type": type(error).__name__, "message": str(error)}})


if __name__ == "__main__":
    serve()
