import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tempDir } from "@hermes/testkit";
import { describe, expect, it } from "vitest";
import { hermes, hermesJson } from "./support.js";

const SHIM = "@hermes/" + "compat/hermes-state";

describe("plugins compat", () => {
  it("CPT-06 lists file, line, old and new, and exits with 1 while anything is left", () => {
    using dir = tempDir();
    const file = join(dir.path, "plugin.mjs");
    writeFileSync(file, `\nimport { classifyPersistenceError, isDiskFullError } from "${SHIM}";\n`);
    const listed = hermes(["plugins", "compat", dir.path]);
    expect(listed.code).toBe(1);
    expect(listed.stdout).toContain(
      `plugin.mjs:2 ${SHIM}.classifyPersistenceError -> @hermes/state-core.classifyPersistenceError`,
    );
    const fixed = hermesJson<{ fixed: string[]; hits: { old: string }[] }>(["plugins", "compat", dir.path, "--fix"]);
    expect(fixed.fixed).toEqual(["plugin.mjs"]);
    expect(fixed.hits.map((hit) => hit.old)).toEqual([`${SHIM}.isDiskFullError`]);
    writeFileSync(file, 'import { classifyPersistenceError } from "@hermes/state-core";\n');
    expect(hermes(["plugins", "compat", file])).toMatchObject({ code: 0 });
  });

  it("CPT-06 exits with 2 for a path that is not there, and changes nothing without --fix", () => {
    using dir = tempDir();
    const missing = hermes(["plugins", "compat", join(dir.path, "nothing")]);
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain("nothing");
    const file = join(dir.path, "plugin.mjs");
    writeFileSync(file, `import { classifyPersistenceError } from "${SHIM}";\n`);
    hermes(["plugins", "compat", dir.path]);
    expect(readFileSync(file, "utf8")).toContain(SHIM);
  });
});
