import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { openMaintenanceConnection, openStateStore } from "@hermes/state-core";
import { renderTable, TABLES } from "@hermes/state-schema";
import type { TableName } from "@hermes/state-schema";
import { tempHome } from "@hermes/testkit";
import type { TempHome } from "@hermes/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hermes } from "./support.js";

/** Each is a part of a secret of its own, made so that no text holds it by chance. */
const canary = (number: number): string => `Zq7${String(number).padStart(2, "0")}Xk9Vw3Yb5Nm8Rt`;

const SHAPES: readonly ((c: string) => string)[] = [
  (c) => `-----BEGIN RSA PRIVATE KEY-----\n${c}${c}${c}\n-----END RSA PRIVATE KEY-----`,
  (c) => `eyJhbGciOi${c}.eyJzdWIi${c}.${c}`,
  (c) => `sk_live_${c}`,
  (c) => `sk-ant-api03-${c}`,
  (c) => `github_pat_11ABCDEFG0_${c}`,
  (c) => `ghp_${c}0123456789`,
  (c) => `glpat-${c}`,
  (c) => `AKIA${c.toUpperCase()}`,
  (c) => `AIza${c}0123456789abcdefghi`,
  (c) => `abc8Q~${c}${c}`,
  (c) => `xoxb-1234567890-${c}`,
  (c) => `npm_${c}0123456789abcdefghi`,
  (c) => `postgres://me:${c}@db.example/x`,
  (c) => `Authorization: Bearer ${c}`,
  (c) => `Authorization: Basic ${Buffer.from(`me:${c}`).toString("base64")}`,
  (c) => `Cookie: theme=dark; sid=${c}`,
  (c) => `AccountName=x;AccountKey=${c}==;EndpointSuffix=y`,
  (c) => `export DB_PASSWORD='${c}'`,
  (c) => `data:text/plain;base64,${Buffer.from(`API_TOKEN=${c}\n`.repeat(3)).toString("base64")}`,
];
const SECRETS = SHAPES.map((_, number) => canary(number));
const TEXT = SHAPES.map((shape, number) => shape(canary(number))).join("\n");
const NESTED = JSON.stringify({
  [`ghp_${canary(0)}0123456789`]: 1,
  list: [TEXT],
  inner: JSON.stringify({
    deeper: JSON.stringify({ api_key: canary(1), args: [TEXT, { dbPassword: `pa ss ${canary(2)}` }] }),
  }),
});

/** Columns that decide what a row is; the others hold whatever somebody wrote. */
const STEERING = new Set(["id", "session_id", "parent_session_id", "role", "display_kind", "system_prompt_hash"]);

function plantRow(table: TableName, key: Readonly<Record<string, string | number>>, text: string): [string, unknown[]] {
  const columns = TABLES[table].columns.filter(
    ({ name }) => !(STEERING.has(name) && !(name in key)) && name !== "display_order",
  );
  const values = columns.map(({ name, type }) => key[name] ?? (type === "TEXT" ? text : 1));
  const names = columns.map(({ name }) => name);
  return [`INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`, values];
}

/** A store with secrets in every text column of every table, plain and in JSON in JSON in JSON. */
function plant(path: string): void {
  openStateStore({ path }).close();
  using connection = openMaintenanceConnection(path);
  connection.exec(renderTable(TABLES.session_daily_usage));
  connection.exec(`ALTER TABLE messages ADD COLUMN notes TEXT DEFAULT 'password=${canary(3)}'`);
  const put = (table: TableName, key: Readonly<Record<string, string | number>>, text: string): void => {
    const [sql, values] = plantRow(table, key, text);
    connection.run(sql, values as string[]);
  };
  for (const [number, text] of [TEXT, NESTED].entries()) {
    const id = `s${number} ghp_${canary(4)}${number}12345678`;
    put("sessions", { id, archived: 0, title: `${number} ${text}` }, text);
    put("session_model_usage", { session_id: id }, text);
    put("session_daily_usage", { session_id: id }, text);
    for (const [index, role] of ["user", "assistant", "tool"].entries()) {
      const facts = {
        id: number * 10 + index + 1,
        session_id: id,
        role,
        active: 1,
        compacted: 0,
        message_uid: `${number}${index} ${text}`,
      };
      put("messages", facts, text);
    }
    put("system_prompts", { hash: `h${number}` }, text);
    put("state_meta", { key: `k${number}` }, text);
    put("gateway_routing", { scope: `sc${number} ${text}` }, text);
  }
}

/** As it is, escaped, and as Base64 at each of its three offsets. */
function leaks(bytes: string): string[] {
  const plain = bytes
    .replace(/\\+u00([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)))
    .replace(/&#(\d+);|%([0-9a-f]{2})/gi, (_, a?: string, b?: string) =>
      String.fromCharCode(a ? Number(a) : parseInt(b ?? "0", 16)),
    );
  const spellings = (secret: string): string[] => [
    secret,
    ...["", "x", "xx"].map((before) =>
      Buffer.from(before + secret)
        .toString("base64")
        .slice(before === "" ? 0 : 4, -4),
    ),
  ];
  const low = plain.toLowerCase();
  return SECRETS.filter(
    (secret) => spellings(secret).some((text) => bytes.includes(text)) || low.includes(secret.toLowerCase()),
  );
}

describe("export --redact", () => {
  let home: TempHome;
  beforeAll(() => {
    home = tempHome();
    plant(home.statePath);
  });
  afterAll(() => {
    home[Symbol.dispose]();
  });

  it.each(["jsonl", "peer-jsonl", "md", "html", "openai", "sharegpt", "atif"])(
    "POR-06 lets no secret of any table out as %s: not in the bytes, the names of files, or what it says",
    (format) => {
      const out = home.file(`out.${format}`);
      const words = ["--format", format, "--home", home.path];
      expect(leaks(hermes(["export", ...words]).stdout).length).toBe(SECRETS.length);
      const toFile = hermes(["export", out, "--redact", ...words]);
      expect({ code: toFile.code, stderr: toFile.stderr }).toEqual({ code: 0, stderr: "" });
      expect(leaks(readFileSync(out, "utf8"))).toEqual([]);
      expect(leaks(readFileSync(out, "latin1"))).toEqual([]);
      const toPipe = hermes(["export", "--redact", ...words]);
      expect(leaks(toPipe.stdout + toPipe.stderr + toFile.stdout)).toEqual([]);
      expect(toFile.stdout).toMatch(/Took out \d+ secrets/);
    },
    60_000,
  );

  it("POR-06 POR-04 lets no secret into the names of the files of a folder", () => {
    for (const format of ["md", "html", "atif", "openai"]) {
      const folder = home.file(`folder-${format}`);
      mkdirSync(folder);
      const run = hermes(["export", folder, "--redact", "--format", format, "--json", "--home", home.path]);
      expect(run.code).toBe(0);
      const names = readdirSync(folder);
      expect(names).toHaveLength(2);
      expect(leaks(run.stdout + run.stderr + names.join("\n"))).toEqual([]);
      for (const name of names) expect(leaks(readFileSync(join(folder, name), "utf8"))).toEqual([]);
    }
  });

  it("POR-06 POR-01 what was redacted comes in again, and goes out the same", () => {
    const [one, two] = [home.file("1.jsonl"), home.file("2.jsonl")];
    expect(hermes(["export", one, "--redact", "--home", home.path]).code).toBe(0);
    const run = hermes(["import", one, "--db", home.file("there.db"), "--json"]);
    expect(JSON.parse(run.stdout)).toMatchObject({ imported: 2, failed: 0 });
    expect(hermes(["export", two, "--redact", "--db", home.file("there.db")]).code).toBe(0);
    expect(leaks(readFileSync(home.file("there.db"), "latin1"))).toEqual([]);
    const lines = (file: string): number =>
      readFileSync(file, "utf8").match(/^\{"type":"(?:session|message|usage)"/gm)?.length ?? 0;
    expect(lines(two)).toBe(lines(one));
  });

  it("POR-06 takes own patterns, and refuses one that is none or has no bound", () => {
    using other = tempHome();
    hermes(["sessions", "create", "--home", other.path, "--id", "s", "--source", "cli"]);
    hermes([
      "sessions",
      "append",
      "s",
      "--home",
      other.path,
      "--content",
      `EMP-4711 and CASE-7 and ghp_${canary(5)}01234567`,
    ]);
    const words = ["export", "--home", other.path, "--format", "openai", "--quiet"];
    const { stdout } = hermes([...words, "--redact-pattern", "EMP-\\d+", "--redact-pattern", "CASE-[0-9]+"]);
    expect(stdout).toContain("[REDACTED:own] and [REDACTED:own] and [REDACTED:github-token]");
    for (const pattern of ["(", "(a+)+$", "x*"]) {
      const run = hermes([...words, "--redact-pattern", pattern, "--json"]);
      expect({ code: run.code, stdout: run.stdout }).toEqual({ code: 2, stdout: "" });
      expect(JSON.parse(run.stderr)).toMatchObject({ error: { code: "STATE_E_REDACT_PATTERN", pattern } });
    }
  });
});
