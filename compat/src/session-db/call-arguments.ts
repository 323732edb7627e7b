type Named = Record<string, unknown>;

function isPlainObject(value: unknown): value is Named {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function unknownOption(what: string, given: Named, names: readonly string[]): string | undefined {
  const unknown = Object.keys(given).find((key) => !names.includes(key));
  return unknown === undefined ? undefined : `${what}: there is no option ${unknown}; it has ${names.join(", ")}.`;
}

/** Whether the last argument names parameters. Where it may be a value, it does so only if it names nothing else. */
function isOptions(last: unknown, names: readonly string[], mayBeValue: boolean): last is Named {
  return isPlainObject(last) && (!mayBeValue || Object.keys(last).every((key) => names.includes(key)));
}

/**
 * Reads the arguments of a facade method: in the order of the old program, or by name in one last object, or both. A
 * last object is options; where an object may also be a value it is options if all its keys are names of parameters.
 *
 * @param positional - Names in the old order.
 * @param options - Names that only the last object takes.
 * @param objects - Names of the positional ones whose value may be an object.
 * @returns What was given, by name.
 * @throws TypeError for too many arguments, an unknown option, or a parameter given twice.
 */
export function callArguments(
  what: string,
  args: readonly unknown[],
  positional: readonly string[],
  options: readonly string[] = [],
  objects: readonly string[] = [],
): Readonly<Record<string, unknown>> {
  const names = [...positional, ...options];
  const last = args.at(-1);
  const mayBeValue = objects.includes(positional[args.length - 1] ?? "");
  const named = isOptions(last, names, mayBeValue) ? last : {};
  const values = named === last ? args.slice(0, -1) : args;
  const problem = unknownOption(what, named, names);
  if (problem !== undefined) throw new TypeError(problem);
  if (values.length > positional.length) {
    throw new TypeError(`${what} takes ${positional.length} arguments and one object of options, not ${args.length}.`);
  }
  const byPlace = positional.slice(0, values.length).map((name, at) => [name, values[at]] as const);
  const twice = byPlace.find(([name, value]) => name in named && value !== undefined);
  if (twice) throw new TypeError(`${what}: ${twice[0]} is given twice.`);
  return { ...Object.fromEntries(byPlace.filter(([, value]) => value !== undefined)), ...named };
}
