/** Written in place of an id that is not there, in keys whose ids are told apart by their place. */
export const ABSENT: unique symbol = Symbol("absent");

const ABSENT_MARK = "-";
const SEPARATOR = ":";

/** Whether an id holds what separates the components of a key. */
export function holdsSeparator(id: string): boolean {
  return id.includes(SEPARATOR);
}

/**
 * Writes one component: as it is, or after an empty component with "%" and ":" as percent signs where it holds the
 * separator. A literal component is never empty, so that each spelling is read one way (GWS-01).
 */
export function writeComponent(component: string | typeof ABSENT): string {
  if (component === ABSENT) return `${SEPARATOR}${ABSENT_MARK}`;
  if (!holdsSeparator(component)) return component;
  return SEPARATOR + component.replaceAll("%", "%25").replaceAll(SEPARATOR, "%3A");
}

function decodeEscaped(escaped: string): string | typeof ABSENT | undefined {
  if (escaped === ABSENT_MARK) return ABSENT;
  const id = escaped.replace(/%3A|%25/g, (code) => (code === "%25" ? "%" : SEPARATOR));
  return holdsSeparator(id) && writeComponent(id) === SEPARATOR + escaped ? id : undefined;
}

/** The components of a key. `escaped` tells which were not written as they are. */
export interface KeyComponents {
  readonly values: readonly (string | typeof ABSENT)[];
  readonly escaped: readonly boolean[];
}

/** Reads a key component by component. @returns Undefined for what {@link writeComponent} never wrote. */
export function readComponents(key: string): KeyComponents | undefined {
  const values: (string | typeof ABSENT)[] = [];
  const escaped: boolean[] = [];
  const pieces = key.split(SEPARATOR);
  for (let at = 0; at < pieces.length; at++) {
    const literal = pieces[at] ?? "";
    const value = literal === "" ? decodeEscaped(pieces[++at] ?? "") : literal;
    if (value === undefined) return undefined;
    values.push(value);
    escaped.push(literal === "");
  }
  return { values, escaped };
}
