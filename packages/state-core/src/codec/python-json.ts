import { pythonFloat } from "./python-float.js";

function quote(text: string): string {
  const quoted = JSON.stringify(text.toWellFormed());
  return quoted.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function isAbsent(value: unknown): boolean {
  return value === undefined || typeof value === "function" || typeof value === "symbol";
}

function writeObject(value: object, open: object[]): string {
  if (open.includes(value)) throw new TypeError("pythonJson: the value contains itself; pass a tree");
  open.push(value);
  let text: string;
  if (Array.isArray(value)) {
    text = `[${value.map((item: unknown) => (isAbsent(item) ? "null" : write(item, open))).join(", ")}]`;
  } else {
    const members: string[] = [];
    for (const [key, item] of Object.entries(value)) {
      if (!isAbsent(item)) members.push(`${quote(key)}: ${write(item, open)}`);
    }
    text = `{${members.join(", ")}}`;
  }
  open.pop();
  return text;
}

function write(value: unknown, open: object[]): string {
  switch (typeof value) {
    case "string":
      return quote(value);
    case "number":
      return pythonFloat(value);
    case "boolean":
    case "bigint":
      return String(value);
    case "object": {
      if (value === null) return "null";
      const custom = (value as { toJSON?: unknown }).toJSON;
      if (typeof custom === "function") return write((value as { toJSON(): unknown }).toJSON(), open);
      return writeObject(value, open);
    }
    default:
      return "null";
  }
}

/**
 * JSON exactly as Python's `json.dumps` spells it by default: `", "` and `": "`, every character beyond ASCII as
 * `\uXXXX` (astral ones as a surrogate pair), numbers as Python's `repr`. Both writers of a file must spell alike,
 * since rows are compared as text (docs/unicode.md). Lone surrogates become U+FFFD (COR-14). As in `JSON.stringify`,
 * `undefined` members are left out and `toJSON` is honoured; keys keep the object's order.
 *
 * @throws TypeError when the value contains itself.
 */
export function pythonJson(value: unknown): string {
  return write(value, []);
}
