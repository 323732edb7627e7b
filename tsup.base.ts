import type { Options } from "tsup";

/** One ESM bundle per entry; the declarations come from tsc, one file per source file. */
export const base: Options = {
  entry: ["src/index.ts"],
  format: ["esm"],
  target: "node20",
  platform: "node",
  dts: false,
  sourcemap: true,
  clean: true,
  splitting: true,
};
