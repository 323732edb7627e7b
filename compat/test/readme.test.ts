import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { childEnvironment, repoRoot, tempHome } from "@hermes/testkit";
import { describe, expect, it } from "vitest";

const LAYER = join(repoRoot(), "compat");
const README = readFileSync(join(LAYER, "README.md"), "utf8");

describe("the README", () => {
  it("CPT-01 has an example that does what it says", () => {
    const [, example = ""] = /```js\n([^]*?)```/.exec(README) ?? [];
    expect(example).toContain("require(");
    using home = tempHome();
    const shown = example.replace("db.close();", 'console.log(db.getMessages("s1").length);\ndb.close();');
    const env = childEnvironment({ HERMES_HOME: home.path });
    const words = ["--input-type=commonjs", "-e", shown];
    expect(execFileSync(process.execPath, words, { cwd: LAYER, encoding: "utf8", timeout: 30_000, env })).toBe("1\n");
  });
});
