import { renderIndex, TABLES } from "@hermes/state-schema";

/** How the table model makes an index; undefined for one it does not know. */
export function knownIndexSql(name: string): string | undefined {
  for (const model of Object.values(TABLES)) {
    const index = model.indexes.find((candidate) => candidate.name === name);
    if (index) return renderIndex(model, index);
  }
  return undefined;
}
