import type { TestRandom } from "@hermes/testkit";

const ODD: readonly unknown[] = [
  null,
  0,
  -1,
  1e308,
  2 ** 53,
  "",
  "\0",
  "\ud800",
  "x".repeat(600),
  [],
  {},
  [[]],
  true,
  "__proto__",
  "constructor",
  "2026-13-45T99:00:00Z",
  -0.5,
  JSON.parse(`${"[".repeat(700)}${"]".repeat(700)}`),
  { $int: "9" },
  { $text: "/w==" },
  { $blob: "!" },
];

/** Puts an odd value, a copy or nothing in the place of some part of a JSON value. */
function mutated(value: unknown, random: TestRandom, depth = 0): unknown {
  if (depth > 8 || random.next() < 0.15 || typeof value !== "object" || value === null) return random.pick(ODD);
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length === 0) return random.pick(ODD);
  const [key, member] = random.pick<readonly [string, unknown]>(entries);
  const change = random.next();
  if (Array.isArray(value)) {
    const list: unknown[] = [...(value as unknown[])];
    const at = Number(key);
    if (change < 0.2) list.splice(at, 1);
    else if (change < 0.4) list.splice(at, 0, member);
    else list[at] = mutated(member, random, depth + 1);
    return list;
  }
  if (change < 0.2) return Object.fromEntries(entries.filter(([name]) => name !== key));
  if (change < 0.3)
    return Object.fromEntries([
      ...entries,
      [random.pick(entries)[0], random.pick(entries)[1]],
      ["odd", random.pick(ODD)],
    ]);
  return Object.fromEntries(entries.map(([name, old]) => [name, name === key ? mutated(old, random, depth + 1) : old]));
}

function mutateJson(text: string, random: TestRandom): string {
  try {
    return JSON.stringify(mutated(JSON.parse(text), random));
  } catch {
    return text;
  }
}

/** Damages a file as a cut, a bad disk, another program or another version would. */
export function mutate(bytes: Buffer, random: TestRandom): Buffer {
  const kind = random.int(0, 8);
  if (kind === 0) return bytes.subarray(0, random.int(0, bytes.length));
  if (kind === 1) {
    const copy = Buffer.from(bytes);
    for (let count = random.int(1, 5); count > 0; count--) copy[random.int(0, copy.length - 1)] = random.int(0, 255);
    return copy;
  }
  if (kind === 6) return Buffer.concat([Buffer.from(random.pick(["\uFEFF", "\n", " "])), bytes]);
  if (kind === 7) return Buffer.concat([bytes, bytes.subarray(random.int(0, bytes.length))]);
  const list = bytes.toString("utf8").split("\n");
  if (kind === 8) return Buffer.from(list.toSorted(() => random.next() - 0.5).join(random.pick(["\n", "\r\n"])));
  const at = random.int(0, list.length - 1);
  if (kind === 2) list.splice(at, random.int(0, 1), random.pick(list));
  else if (kind === 3) list.splice(at, 1);
  else
    for (let count = random.int(1, 3); count > 0; count--) {
      const where = random.int(0, list.length - 1);
      list[where] = mutateJson(list[where] ?? "", random);
    }
  return Buffer.from(list.join("\n"));
}
