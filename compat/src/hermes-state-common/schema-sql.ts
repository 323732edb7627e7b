import { renderIndex, renderTable, REQUIRED_TABLES } from "@hermes/state-schema";

const INDEXES = REQUIRED_TABLES.flatMap((table) =>
  table.indexes.filter((index) => index.stage === "base").map((index) => renderIndex(table, index)),
);

/** The tables of a fresh file and the indexes that are made with them, as a script that may run again. */
export const SCHEMA_SQL: string = [...REQUIRED_TABLES.map((table) => renderTable(table)), ...INDEXES]
  .map((statement) => `${statement};\n`)
  .join("\n");
