import { createRequire } from "node:module";
import { describe, expect, it } from "vitest";

type DefineFace = typeof import("../src/runtime/lazy-face.js").defineFace;

const { defineFace } = createRequire(import.meta.url)("../dist/runtime/lazy-face.cjs") as { defineFace: DefineFace };

/** A home whose value changes, and a count of how often it was asked. */
function home(): { value: string; asked: number; load: () => string } {
  const place = { value: "first", asked: 0, load: () => ((place.asked += 1), place.value) };
  return place;
}

describe("a face", () => {
  it("CPT-01 loads nothing until a name is read, whatever is asked of its names", () => {
    const place = home();
    const face = defineFace("a", [{ name: "late", load: place.load }]);
    expect(Object.keys(face)).toEqual(["late"]);
    expect("late" in face && Object.hasOwn(face, "late")).toBe(true);
    expect(place.asked).toBe(0);
    expect((face as { late: string }).late).toBe("first");
    expect(place.asked).toBe(1);
  });

  it("CPT-01 returns the live object: what is changed at its home is seen", () => {
    const place = home();
    const face = defineFace("a", [{ name: "late", load: place.load }]) as { late: string };
    expect(face.late).toBe("first");
    place.value = "second";
    expect(face.late).toBe("second");
  });

  it("CPT-01 is chained to a hand-written part: both families work, the written one wins, getters stay getters", () => {
    const part = {
      own: 1,
      get both() {
        return "written";
      },
    };
    const face = defineFace(
      "a",
      [
        { name: "late", load: home().load },
        { name: "both", load: () => "named" },
      ],
      part,
    );
    expect(face).toMatchObject({ own: 1, both: "written", late: "first" });
    expect(Object.getOwnPropertyDescriptor(face, "both")?.get).toBeTypeOf("function");
    expect(Object.keys(face).sort()).toEqual(["both", "late", "own"]);
    expect((face as { nothing?: unknown }).nothing).toBeUndefined();
  });
});
