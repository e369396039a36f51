# A server of the protocol that keeps a database in WAL mode, as many servers do.
import json
import sqlite3
import sys
import time


def patiently(statement):
    """Two servers that start together: a change of the journal mode, and what follows it, does not wait for the other's lock."""
    for _ in range(100):
        try:
            return database.execute(statement)
        except sqlite3.OperationalError:
            time.sleep(0.05)
    raise SystemExit("the database stays locked")


database = sqlite3.connect(sys.argv[1], timeout=float(sys.argv[2]), isolation_level=None)
patiently("PRAGMA journal_mode = WAL")
patiently("CREATE TABLE IF NOT EXISTS notes (who TEXT, number INTEGER)")


def add(who, count):
    for number in range(count):
        database.execute("BEGIN IMMEDIATE")
        database.execute("INSERT INTO notes VALUES (?, ?)", (who, number))
        database.execute("COMMIT")
    return "added"


def run(statement):
    return json.dumps(database.execute(statement).fetchall())


def mode():
    return json.dumps(database.execute("PRAGMA journal_mode").fetchall())


tools = {"add": add, "run": run, "mode": mode}


def answer(method, params):
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "notes", "version": "1"},
        }
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in tools]}
    try:
        text, failed = tools[params["name"]](**params.get("arguments", {})), False
    except Exception as error:
        text, failed = f"{type(error).__name__}: {error}", True
    return {"content": [{"type": "text", "text": text}], "isError": failed}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message and "method" in message:
        result = answer(message["method"], message.get("params", {}))
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)
