import { describe, expect, it } from "vitest";
import { decodeRow } from "./decode-row.js";

const MESSAGE = {
  role: "TEXT NOT NULL",
  content: "TEXT",
  timestamp: "REAL NOT NULL",
  observed: "INTEGER DEFAULT 0",
  active: "INTEGER NOT NULL DEFAULT 1",
  own: "TEXT DEFAULT 'x'",
};

describe("rows of records", () => {
  it("POR-01 says NULL where the table would put something else", () => {
    const { row } = decodeRow("message", { role: "user", timestamp: 1 }, MESSAGE) as { row: object };
    expect(row).toEqual({ role: "user", timestamp: 1, observed: null, own: null });
  });

  it("POR-01 leaves to the table what it makes NULL by itself, and keeps a NULL that is said", () => {
    const whole = { role: "user", timestamp: 1, observed: 0, active: 1, own: "y" };
    expect(decodeRow("message", whole, MESSAGE)).toEqual({ row: whole });
    expect(decodeRow("message", { ...whole, content: null }, MESSAGE)).toEqual({ row: { ...whole, content: null } });
  });

  it("POR-01 names every column of a session, which may take the place of one that is here", () => {
    const listed = { source: "TEXT NOT NULL", started_at: "REAL NOT NULL", title: "TEXT" };
    const decoded = decodeRow("session", { source: "cli", started_at: 1 }, listed);
    expect(decoded).toEqual({ row: { source: "cli", started_at: 1, title: null } });
  });

  it.each([
    [{ role: "user", timestamp: 1, observed: 0, active: 1, own: "", other: 1 }, "not in the header"],
    [{ role: "user", timestamp: 1, observed: true, active: 1, own: "" }, "holds no value"],
    [{ role: "user", observed: 0, active: 1, own: "" }, "is missing"],
    [{ role: null, timestamp: 1, observed: 0, active: 1, own: "" }, "is missing"],
    [{ constructor: "x", role: "user", timestamp: 1, observed: 0, active: 1, own: "" }, "not in the header"],
  ])("POR-02 says what is wrong with %j", (json, reason) => {
    expect(decodeRow("message", json, MESSAGE)).toEqual({ message: expect.stringContaining(reason) as string });
  });
});
