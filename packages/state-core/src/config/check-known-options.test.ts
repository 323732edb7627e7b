import { expect, it } from "vitest";
import { checkKnownOptions } from "./check-known-options.js";

it("GND-04 names a misspelt option and the nearest known one", () => {
  expect(() => {
    checkKnownOptions("openStateStore", { pth: "x" }, ["path", "mode"]);
  }).toThrow(new TypeError('openStateStore: unknown option "pth". Did you mean "path"?'));
});

it("GND-04 lists the known options when nothing is near", () => {
  expect(() => {
    checkKnownOptions("f", { zzzzzz: 1 }, ["path", "mode"]);
  }).toThrow(/Known options: path, mode/);
});

it.each([[null], [[]], ["text"], [7]])("GND-04 refuses %j as options", (options) => {
  expect(() => {
    checkKnownOptions("f", options, ["path"]);
  }).toThrow(TypeError);
});

it("GND-04 accepts known options and none at all", () => {
  checkKnownOptions("f", { path: "x" }, ["path"]);
  checkKnownOptions("f", undefined, ["path"]);
});
