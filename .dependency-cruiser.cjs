/**
 * The arrows of docs/architecture.md. A package may import itself and what stands here, nothing else; tests may also
 * use the testkit. Types count as imports. The rules are proven by scripts/layer-rules.test.ts.
 */
const ARROWS = {
  "state-schema": [],
  "state-core": ["state-schema"],
  "state-search": ["state-core", "state-schema"],
  "state-portability": ["state-core", "state-repair", "state-schema", "state-search"],
  "state-repair": ["state-core", "state-schema", "state-search"],
  "gateway-session": ["state-core"],
  "state-mcp": ["state-core", "state-search"],
  "state-web": ["state-core", "state-search", "state-repair"],
  "state-cli": [
    "state-core",
    "state-schema",
    "state-search",
    "state-portability",
    "state-repair",
    "gateway-session",
    "state-mcp",
    "state-web",
  ],
  testkit: ["state-schema"],
  bench: ["state-core", "state-schema", "state-search", "state-portability", "state-repair", "gateway-session"],
};

const TESTS = "^(?:packages/[^/]+|compat|examples/[^/]+)/(?:test/|src/.*\\.test\\.ts$)";

const arrowRules = Object.entries(ARROWS).map(([name, targets]) => {
  const below = targets.length === 0 ? "nothing" : targets.join(", ");
  return {
    name: `arrows-of-${name}`,
    comment: `${name} stands above ${below}. Move the code to where both sides see it, or hand it in as an argument.`,
    severity: "error",
    from: { path: `^packages/${name}/` },
    to: { path: "^(?:packages|compat)/", pathNot: `^packages/(?:${[name, ...targets, "testkit"].join("|")})/` },
  };
});

module.exports = {
  forbidden: [
    ...arrowRules,
    {
      name: "every-package-has-arrows",
      comment: "A new package needs its line in ARROWS before it may import another.",
      severity: "error",
      from: { path: "^packages/([^/]+)/", pathNot: `^packages/(?:${Object.keys(ARROWS).join("|")})/` },
      to: { path: "^packages/", pathNot: "^packages/$1/" },
    },
    {
      name: "testkit-is-for-tests",
      comment: "Shipped code never needs the testkit: it is private and not installed beside the package.",
      severity: "error",
      from: { path: "^(?:packages|compat|examples)/", pathNot: [TESTS, "^packages/testkit/"] },
      to: { path: "^packages/testkit/" },
    },
    {
      name: "no-internal-across-packages",
      comment: "What lies in internal/ may change any day. Export it from the index of its package, or move it.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "/internal/", pathNot: ["^packages/$1/", "node_modules"] },
    },
    {
      name: "packages-meet-at-the-index",
      comment: "Another package is used through its index only.",
      severity: "error",
      from: { path: "^packages/([^/]+)/" },
      to: { path: "^packages/[^/]+/", pathNot: ["^packages/$1/", "^packages/[^/]+/src/index\\.ts$", "node_modules"] },
    },
    {
      name: "examples-use-what-is-public",
      comment: "An example shows what a program outside can do: packages through their index, nothing of compat.",
      severity: "error",
      // The plugins show what compat is for, and leave with it.
      from: { path: "^examples/", pathNot: "^examples/plugins/" },
      to: { path: "^(?:packages|compat)/", pathNot: "^packages/[^/]+/src/index\\.ts$" },
    },
    {
      name: "nothing-uses-an-example",
      comment: "An example is there to be read. Move what others need into a package.",
      severity: "error",
      from: { path: "^(?:packages|compat)/" },
      to: { path: "^examples/" },
    },
    {
      name: "tests-are-not-imported",
      comment: "Shipped code does not import a test or a fixture. Move the helper into src or into the testkit.",
      severity: "error",
      from: { path: "^(?:packages|examples)/[^/]+/src/", pathNot: TESTS },
      to: { path: TESTS },
    },
    {
      name: "driver-in-one-place",
      comment: "SQLite is reached through the driver seam alone: use context.read and context.write.",
      severity: "error",
      from: {
        path: "^packages/",
        pathNot: [TESTS, "^packages/(?:testkit|bench)/", "^packages/state-core/src/driver/"],
      },
      to: { path: "(?:^|node_modules/)(?:@types/)?better-sqlite3(?:/|$)" },
    },
    {
      name: "koffi-in-one-place",
      comment: "The kernel lock and the look for holes are the only foreign functions: state-core/src/{locking,files}.",
      severity: "error",
      from: { path: "^packages/", pathNot: "^packages/state-core/src/(?:locking|files)/" },
      to: { path: "(?:^|node_modules/)koffi(?:/|$)" },
    },
    {
      name: "nothing-uses-compat",
      comment: "The compat layer must be able to leave in one commit.",
      severity: "error",
      from: { path: "^packages/" },
      to: { path: "^compat/" },
    },
    {
      name: "no-circular",
      comment: "Two files that need each other are one idea in two places, or need a third that both may see.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-unresolvable",
      comment: "This import leads nowhere: a missing dependency in package.json, or a misspelt path.",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "no-undeclared",
      comment: "Only what package.json declares is there on another machine.",
      severity: "error",
      from: { path: "^packages/", pathNot: TESTS },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "no-dev-dependency-in-source",
      comment: "A devDependency is not installed beside the package. Declare it under dependencies.",
      severity: "error",
      from: { path: "^packages/[^/]+/src/", pathNot: [TESTS, "^packages/(?:testkit|bench)/"] },
      to: { dependencyTypes: ["npm-dev"], dependencyTypesNot: ["type-only"] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/(?:dist|\\.turbo|coverage)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.base.json" },
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "types", "node", "default"] },
  },
};
