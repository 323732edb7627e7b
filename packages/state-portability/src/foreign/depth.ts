/** Lists and objects within each other beyond this many are refused: other readers of a store stop at a thousand. */
export const DEEPEST = 500;

/** True for a JSON value whose lists and objects lie deeper within each other than allowed. */
export function isTooDeep(value: unknown, allowed: number = DEEPEST): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (allowed === 0) return true;
  for (const member of Object.values(value)) if (isTooDeep(member, allowed - 1)) return true;
  return false;
}
