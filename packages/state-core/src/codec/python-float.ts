const SMALLEST_FIXED = 1e-4;

/**
 * Spells a number as Python's `repr` spells it, so that a text compare with a row of the peer holds. JavaScript has one
 * number type: an integral value is spelled as Python's int (`1`, never `1.0`), except beyond 1e21, where it becomes a
 * float, and negative zero, which only a float can be.
 *
 * @returns `NaN`, `Infinity` and `-Infinity` included, as Python's json writes them.
 */
export function pythonFloat(value: number): string {
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  const size = Math.abs(value);
  if (size === 0 || !Number.isFinite(value) || (size >= SMALLEST_FIXED && size < 1e21)) return text;
  const [digits = "", exponent = "0"] = (text.includes("e") ? text : value.toExponential()).split("e");
  const sign = exponent.startsWith("-") ? "-" : "+";
  return `${digits}e${sign}${exponent.replace(/^[+-]/, "").padStart(2, "0")}`;
}
