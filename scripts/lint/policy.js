/**
 * The rules of the house that a type checker cannot know. Each says why it exists and what to do instead.
 * `policy()` builds the rule set for one area of the tree; an area gives up only what it names.
 */

const NODE = (name) => [name, `node:${name}`];

const CLOCK =
  "Time is injected, so that tests decide what time it is: take it from context.clock. " +
  "Only state-core/src/clock asks the machine.";
const RANDOM =
  "Randomness is injected, so that a test can repeat a run: take it from context.random. " +
  "Only state-core/src/clock asks the machine.";
const ENV =
  "The environment is read in one place, so that a reader can see all that it decides: " +
  "move this into a config/ folder.";
const CONSOLE =
  "A library never prints. Return the fact, throw a StateError, or let the command's output module print it.";
const DRIVER =
  "SQLite is reached through the driver seam alone (state-core/src/driver): use context.read and context.write.";
const COMPAT =
  "Nothing in the tree uses the compat layer, so that it can leave in one commit: " +
  "import the focused package instead.";
const DEEP =
  "Another package is used through its index only; what is not exported there may change any day. " +
  "Export it there, or move it.";

const globalThisMember = (property, message) => ({ object: "globalThis", property, message });

const clock = {
  properties: [
    { object: "Date", property: "now", message: CLOCK },
    { object: "performance", property: "now", message: CLOCK },
    { object: "performance", property: "timeOrigin", message: CLOCK },
    { object: "process", property: "hrtime", message: CLOCK },
    { object: "Math", property: "random", message: RANDOM },
    { object: "crypto", property: "randomUUID", message: RANDOM },
    { object: "crypto", property: "getRandomValues", message: RANDOM },
    globalThisMember("Date", CLOCK),
    globalThisMember("performance", CLOCK),
    globalThisMember("Math", RANDOM),
    globalThisMember("crypto", RANDOM),
  ],
  syntax: [
    { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: CLOCK },
    { selector: "CallExpression[callee.name='Date']", message: CLOCK },
  ],
  imports: [
    ...NODE("perf_hooks").map((name) => ({ name, importNames: ["performance"], message: CLOCK })),
    ...NODE("crypto").map((name) => ({
      name,
      importNames: ["randomBytes", "randomUUID", "randomInt", "randomFillSync", "webcrypto"],
      message: RANDOM,
    })),
  ],
};

const env = {
  properties: [{ object: "process", property: "env", message: ENV }, globalThisMember("process", ENV)],
  imports: NODE("process").map((name) => ({ name, importNames: ["env"], message: ENV })),
};

const driver = {
  syntax: [
    { selector: "ImportExpression[source.value=/^better-sqlite3/]", message: DRIVER },
    { selector: "TSImportType[source.value=/^better-sqlite3/]", message: DRIVER },
    { selector: "CallExpression[callee.name='require'][arguments.0.value=/^better-sqlite3/]", message: DRIVER },
  ],
  patterns: [{ regex: "^better-sqlite3(?:/|$)", message: DRIVER }],
};

const compat = {
  syntax: [
    { selector: "ImportExpression[source.value=/^@hermes\\u002Fcompat/]", message: COMPAT },
    { selector: "CallExpression[callee.name='require'][arguments.0.value=/^@hermes\\u002Fcompat/]", message: COMPAT },
  ],
  patterns: [{ regex: "^@hermes/compat(?:/|$)", message: COMPAT }],
};

const deep = { patterns: [{ regex: "^@hermes/[^/]+/.", message: DEEP }] };

const sql = {
  syntax: ["Literal[value=/\\bselect\\s+\\*/i]", "TemplateElement[value.raw=/\\bselect\\s+\\*/i]"].map((selector) => ({
    selector,
    message: "List the columns: the order and number of columns differs from file to file (GND-01).",
  })),
};

const shape = {
  syntax: [
    {
      selector: "TSEnumDeclaration",
      message: "An enum is code that types alone should not make. Use a union of literals, or a frozen object.",
    },
    {
      selector: "TSModuleDeclaration[kind='namespace']",
      message: "A file is the namespace here. Export the members from a module of their own.",
    },
  ],
};

const defaultExport = {
  syntax: ["ExportDefaultDeclaration", "ExportSpecifier[exported.name='default']"].map((selector) => ({
    selector,
    message: "A name that every importer spells alike can be searched for. Use a named export, named like the file.",
  })),
};

const print = { globals: [{ name: "console", message: CONSOLE }], properties: [globalThisMember("console", CONSOLE)] };

const AREAS = { clock, env, driver, compat, deep, sql, shape, defaultExport, print };

/**
 * @param {readonly (keyof typeof AREAS)[]} exempt - Policies that this part of the tree is there to implement.
 * @returns {import("eslint").Linter.RulesRecord}
 */
export function policy(exempt = []) {
  const parts = Object.entries(AREAS)
    .filter(([name]) => !exempt.includes(name))
    .map(([, part]) => part);
  const all = (kind) => parts.flatMap((part) => part[kind] ?? []);
  // A bare "error" would inherit the options of a wider area, so an empty list switches the rule off.
  const rule = (kind) => (all(kind).length === 0 ? "off" : ["error", ...all(kind)]);
  return {
    "no-restricted-globals": rule("globals"),
    "no-restricted-properties": rule("properties"),
    "no-restricted-syntax": rule("syntax"),
    "no-restricted-imports": ["error", { paths: all("imports"), patterns: all("patterns") }],
    "hermes/no-silent-catch": "error",
    "hermes/no-top-level-await": "error",
  };
}
