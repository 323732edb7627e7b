import type { StoreShape } from "../rows/read-session.js";
import type { TableShape } from "../rows/table-shape.js";
import type { Redactor } from "./redactor.js";

/** What a file says of its columns, without secrets: a default value of a column of its own is text, too. */
export function redactedShape({ session, children }: StoreShape, redactor: Redactor): StoreShape {
  const table = (shape: TableShape): TableShape => ({
    ...shape,
    columns: shape.columns.map(({ name, declaration }) => ({ name, declaration: redactor.text(declaration) })),
  });
  const others = Object.entries(children).map(([entity, shape]) => [entity, table(shape)] as const);
  return { session: table(session), children: Object.fromEntries(others) };
}
