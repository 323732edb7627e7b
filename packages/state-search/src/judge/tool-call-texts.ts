// A string that is not closed runs to the end, so that broken JSON is scanned once.
const NUMBER_OUTSIDE_TEXT = /("(?:[^"\\]|\\.|\\$)*(?:"|$))|-?\d[\d.eE+-]*|NaN|-?Infinity/gs;

/** Parses JSON with every number as the text it was written as: `1.50` is searched as `1.50`. */
function parseKeepingNumbers(json: string): unknown {
  return JSON.parse(json.replace(NUMBER_OUTSIDE_TEXT, (token, text?: string) => text ?? `"${token}"`));
}

function parsed(json: string): unknown {
  try {
    return parseKeepingNumbers(json);
  } catch {
    // Arguments that are no JSON are searched as the text they are.
    return json;
  }
}

/** All texts and numbers inside a value, without the keys, in order. The value may be nested to any depth. */
function leaves(value: unknown): string[] {
  const texts: string[] = [];
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next === "string") texts.push(next);
    else if (typeof next === "object" && next !== null) for (const member of Object.values(next)) open.push(member);
  }
  return texts.reverse();
}

function field(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
}

function callTexts(call: unknown): string[] {
  const target = field(call, "function") ?? call;
  const name = field(target, "name");
  const given = field(target, "arguments") ?? field(target, "args") ?? field(target, "input");
  return [...leaves(name), ...leaves(typeof given === "string" ? parsed(given) : given)];
}

/**
 * The texts of a `tool_calls` cell: names of tools and what is in their arguments. Keys, ids and types are not text.
 *
 * Source of the rule: P08, what exists only in the arguments of a call is found.
 *
 * @param json - The cell; when it is no JSON, it is text itself.
 */
export function toolCallTexts(json: string): readonly string[] {
  const once = parsed(json);
  // Earlier writers encoded the list twice.
  const calls = typeof once === "string" && once !== json ? parsed(once) : once;
  if (typeof calls === "string") return [calls];
  return (Array.isArray(calls) ? calls : [calls]).flatMap(callTexts);
}
