import { runPython } from "@hermes/testkit";

/** A table as Python reads it with sqlite3: for each row its cells by column, with their storage class and bytes. */
export type PythonTable = readonly Readonly<Record<string, string>>[];
export type PythonStore = Readonly<Record<string, PythonTable>>;

/**
 * Reads tables with Python's own sqlite3, exactly: text as its bytes, reals as the sixteen digits of their bits.
 *
 * @param tables - Names with the columns that order the rows.
 */
export function readByPython(path: string, tables: Readonly<Record<string, string>>): PythonStore {
  return runPython<PythonStore>(READ, { path, tables });
}

const READ = `
db = sqlite3.connect(args["path"], timeout=30)
db.text_factory = bytes
def cell(kind, value):
    if kind == "real": return "real " + value.hex()
    if kind == "integer": return "integer " + str(value)
    if kind in ("text", "blob"): return kind + " " + bytes(value).hex()
    return kind
def table(name, order):
    columns = [row[1].decode() for row in db.execute(f'PRAGMA table_info("{name}")')]
    kinds = [f'typeof("{column}")' for column in columns]
    names = [f'"{column}"' for column in columns]
    rows = []
    for row in db.execute(f'SELECT {", ".join(kinds + names)} FROM "{name}" ORDER BY {order}'):
        found, values = row[:len(columns)], row[len(columns):]
        rows.append({column: cell(kind.decode(), value) for column, kind, value in zip(columns, found, values)})
    return rows
answer({name: table(name, order) for name, order in args["tables"].items()})
`;

/** What cells are filled with. */
export interface Kinds {
  /** Texts by their bytes in hex. */
  readonly texts: readonly string[];
  /** Whole numbers by their digits. */
  readonly integers: readonly string[];
  /** Times and amounts. */
  readonly reals: readonly number[];
  /** Cells of another storage class than the column declares, with blobs by their bytes in hex. */
  readonly odd: boolean;
  /** JSON columns with what they may hold. */
  readonly json: Readonly<Record<string, readonly (string | null)[]>>;
  readonly roles: readonly string[];
  /** Rows that a compaction archived or that were taken back. */
  readonly archived: boolean;
}

/** Lets Python fill a store's tables, each column with each kind of value that it can hold. */
export function fillByPython(path: string, kinds: Kinds): void {
  runPython(FILL, { path, kinds });
}

const FILL = `
import hashlib
kinds = args["kinds"]
db = sqlite3.connect(args["path"], timeout=30, isolation_level=None)
db.execute("PRAGMA foreign_keys=ON")
texts = [bytes.fromhex(text) for text in kinds["texts"]]
integers = [int(digits) for digits in kinds["integers"]]
PROMPTS = ["You are careful.", "", "请谨慎 🙏", "line\\r\\nline"]
def key(text): return hashlib.sha256(text.encode()).hexdigest()
def value(column, kind, at):
    if column in kinds["json"]: return kinds["json"][column][at % len(kinds["json"][column])]
    odd = [b"\\x00\\xff", 1, 2.5] if kinds["odd"] else []
    if kind == "TEXT": pool = [None, *texts, *odd[:1]]
    elif kind == "INTEGER": pool = [None, *integers, *(["text", *odd[2:]] if odd else [])]
    elif kind == "REAL": pool = [None, *kinds["reals"], *(["text", b"\\xfe"] if odd else [])]
    else: pool = [None]
    return pool[at % len(pool)]
def insert(table, count, fixed):
    columns = list(db.execute(f'PRAGMA table_info("{table}")'))
    for row in range(count):
        given = fixed(row)
        cells = {}
        for place, (_, name, kind, required, default, _pk) in enumerate(columns):
            cell = given[name] if name in given else value(name, kind, row + place)
            if cell is None and required and name not in given: cell = 0 if kind != "TEXT" else b""
            cells[name] = cell
        marks = ["CAST(? AS TEXT)" if isinstance(cells[name], bytes) and cells[name] in texts else "?" for _, name, *_ in columns]
        names = ", ".join(f'"{name}"' for _, name, *_ in columns)
        db.execute(f'INSERT INTO "{table}" ({names}) VALUES ({", ".join(marks)})', list(cells.values()))
def prompt_of(row): return [None, *PROMPTS][row % 5]
def session(row):
    text = prompt_of(row)
    return {
        "id": f"s-{row:02}",
        "source": ["cli", "telegram", "x y"][row % 3],
        "parent_session_id": None if row % 3 == 0 else f"s-{row - 1:02}",
        "system_prompt": None,
        "system_prompt_hash": None if text is None else key(text),
        "title": None if row % 4 == 0 else f"Title {row} 桂林",
        "message_count": sum(1 for at in range(MESSAGES) if at % SESSIONS == row and active(at) == 1),
        "tool_call_count": 0,
        "started_at": 1_769_000_000.25 + row,
    }
def active(row): return 0 if kinds["archived"] and row % 5 in (3, 4) else 1
def message(row):
    return {
        "id": row + 1 if kinds["archived"] else None,
        "session_id": f"s-{row % SESSIONS:02}",
        "role": kinds["roles"][row // SESSIONS % len(kinds["roles"])],
        "timestamp": 1_769_000_000.125 + row / 7,
        "active": active(row),
        "compacted": 1 if kinds["archived"] and row % 5 == 3 else 0,
        "display_identity": None,
        "display_order": None,
    }
SESSIONS, MESSAGES = 20, 400
for text in PROMPTS: db.execute("INSERT INTO system_prompts (hash, prompt) VALUES (?, ?)", [key(text), text])
insert("sessions", SESSIONS, session)
insert("messages", MESSAGES, message)
for table in ("session_model_usage", "session_daily_usage"):
    if not db.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [table]).fetchone(): continue
    insert(table, SESSIONS, lambda row: {"session_id": f"s-{row:02}", "model": f"m-{row}", "task": "", "billing_provider": "", "billing_base_url": "", "billing_mode": "", "day": "2026-01-01"})
calls = "SELECT COUNT(1) FROM sessions"
db.execute("""UPDATE sessions SET tool_call_count = (
  SELECT COALESCE(SUM(json_array_length(tool_calls)), 0) FROM messages
  WHERE session_id = sessions.id AND active = 1 AND json_valid(tool_calls))""")
answer(db.execute(calls).fetchone())
`;
