import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { QUERIES } from "./query-table.js";

/** Rows of the search inventory: section 17 has 231 queries, section 17b 32 more. */
const ROWS = 231;
const FILTERED_ROWS = 32;

/** Rules of section 18, and the test that proves each. */
const SESSION_SEARCH: readonly (readonly [rule: string, title: string])[] = [
  ["the mode follows from the arguments", "infers the mode: scroll before read before discover before browse"],
  ["success, and never a failed turn", "never throws for what an agent passes or an engine does"],
  ["an engine error is an answer", "answers with an error when the rows cannot be read"],
  ["shape of a discovery", "shows goal, hit and resolution of a session"],
  ["nothing found", "says when there is nothing, also for a query that only excludes"],
  ["default roles", "looks at what people and the assistant said unless roles are asked for"],
  ["hidden sources, also by title", "does not find sessions of hidden sources, by words or by title"],
  ["scheduled jobs last", "puts scheduled jobs behind people before the cut"],
  ["300 rows are scanned", "lets no flood of one session hide the others"],
  ["one result per lineage root", "shows one result per tree of sessions, and names its root"],
  ["a title match comes first", "finds a title, the latest of a numbered one, and puts it first"],
  ["the current lineage is hidden", "hides what the agent has in its context, and shows what left it"],
  ["reset ends", "shows sessions of the lineage that a reset ended, and hides a branched parent"],
  ["summaries leave the bookends", "takes compaction summaries out of the ends, not out of the window"],
  ["caps of texts", "caps every text and shows no hidden or rewound neighbour, nor terminal sequences"],
  [
    "adaptive detail",
    "shows the first result in full and of the others the hit alone, unless full detail is asked for",
  ],
  ["limit 1 to 10", "clamps the limit to 1 to 10, 3 unless asked"],
  ["rebuild note, also when stale", "says that the index is being rebuilt or stale, and finds all the same"],
  ["scroll window", "scrolls around a message, in a window of 1 to 20"],
  ["errors of an anchor", "refuses an anchor that is no number, unknown, elsewhere or hidden"],
  ["an anchor of the same lineage", "goes to the segment that holds the anchor, and warns"],
  ["active context and rewound rows", "refuses to scroll to what is in the active context or was taken back"],
  ["caps of scrolled texts", "caps texts when scrolling and reading, and keeps hidden and rewound rows out"],
  ["read: first 20, last 10", "reads a session whole, or its first 20 and last 10 messages"],
  ["read in another profile", "reads a session of whichever profile has it, past a broken one"],
  ["every handle is closed", "closes a profile whose rows cannot be read"],
  ["browse", "browses the newest conversations without the current lineage, children or hidden sources"],
  ["link and explicit profile", "a named profile is searched, browsed, scrolled and read, and closed"],
  ["profile names", "refuses a profile that does not exist, breaks, or cannot be opened here"],
  ["guards of the own profile", "guards the current lineage also under another name of the profile"],
  ["privacy of profiles", "a plain query returns nothing of another profile"],
  ["scope of a chat", "a Telegram chat finds its own conversation only: its key, ancestors and descendants"],
  ["privacy of chats", "a Telegram chat cannot scroll to a message of another chat, nor read or learn of it"],
  ["fail closed", "a scope that is missing, unclear or unreadable is a refusal"],
  ["scope all", "looks beyond the conversation when scope is all, and only then into other profiles"],
  ["recent user turns", "counts the turns that an undo counts, however many handoffs lie between"],
];

const PLACES = ["./", "../src/answer/"];
const TITLE = /\bit(?:\.\w+)?\(\s*(["`])((?:(?!\1)[^\\]|\\.)*)\1/g;
/** A row of a table whose number becomes part of a title. */
const TABLE_ROW = /^\s*\["(R\d\d)",/gm;

function sources(): readonly string[] {
  return PLACES.flatMap((place) => {
    const folder = fileURLToPath(new URL(place, import.meta.url));
    const names = readdirSync(folder).filter((name) => name.endsWith(".test.ts") && name !== "test-book.test.ts");
    return names.map((name) => readFileSync(`${folder}${name}`, "utf8"));
  });
}

function numbers(prefix: string, count: number, width: number): string[] {
  return Array.from({ length: count }, (_, index) => prefix + String(index + 1).padStart(width, "0"));
}

describe("the test book", () => {
  const texts = sources();
  const titles = texts.flatMap((text) => [...text.matchAll(TITLE)].map((match) => match[2] ?? ""));

  it("SEA-02 SEA-03 asks every query of section 17, each once and in order", () => {
    expect(QUERIES.map(([number]) => number)).toEqual(numbers("Q", ROWS, 3));
  });

  it("SEA-01 SEA-04 has a test for every row of section 17b, each in one place", () => {
    const named = [
      ...titles.flatMap((title) => title.match(/\bR\d\d\b/g) ?? []),
      ...texts.flatMap((text) => [...text.matchAll(TABLE_ROW)].map((match) => match[1] ?? "")),
    ];
    expect([...named].sort()).toEqual(numbers("R", FILTERED_ROWS, 2));
  });

  it("SEA-15 has one test for every rule of section 18", () => {
    const found = SESSION_SEARCH.map(([rule, title]) => [
      rule,
      titles.filter((one) => one.endsWith(` ${title}`)).length,
    ]);
    expect(found).toEqual(SESSION_SEARCH.map(([rule]) => [rule, 1]));
  });
});
