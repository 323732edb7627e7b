import { expect, it } from "vitest";
import { sizeChange } from "./size-change.js";

it("SEA-12 a file that grew is said to have grown, never to have given back a negative size", () => {
  expect(sizeChange(4096, 2048)).toBe("2.0 KiB, 2.0 KiB less than before");
  expect(sizeChange(2048, 4096)).toBe("4.0 KiB, grew by 2.0 KiB");
  expect(sizeChange(4096, 4096)).toBe("4.0 KiB, as before");
});
