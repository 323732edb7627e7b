import { damage } from "@hermes/testkit";
import { openMaintenanceConnection } from "../../src/index.js";

const ROOT = "SELECT rootpage FROM sqlite_master WHERE name = ?";
const PAGE_SIZE = "SELECT page_size FROM pragma_page_size";

/** Statements on the shadow tables of an index, which the engine lets nobody write unless it is told to. */
function edit(path: string, ...statements: readonly string[]): void {
  using connection = openMaintenanceConnection(path);
  connection.transaction((w) => {
    for (const statement of statements) w.editSchema(statement);
  });
}

/** Overwrites the first page of a table with NUL. */
function zeroRoot(path: string, table: string): void {
  const place = (): { page: number; size: number } => {
    using connection = openMaintenanceConnection(path);
    const page = connection.get<{ rootpage: number }>(ROOT, [table])?.rootpage ?? 0;
    return { page, size: connection.get<{ page_size: number }>(PAGE_SIZE)?.page_size ?? 0 };
  };
  const { page, size } = place();
  damage.zero(path, (page - 1) * size, size);
}

/** Ways to damage the word index of a file that nobody has open. */
export const INDEX_DAMAGE: Readonly<Record<string, (path: string) => void>> = {
  "its structure record zeroed": (path) => {
    edit(path, "UPDATE messages_fts_data SET block = zeroblob(length(block)) WHERE id = 10");
  },
  "all its segments deleted": (path) => {
    edit(path, "DELETE FROM messages_fts_data WHERE id > 10");
  },
  "every block zeroed": (path) => {
    edit(path, "UPDATE messages_fts_data SET block = zeroblob(length(block))");
  },
  "its data table missing from the schema": (path) => {
    edit(path, "DELETE FROM sqlite_master WHERE name = 'messages_fts_data'");
  },
  "its config table missing from the schema": (path) => {
    edit(path, "DELETE FROM sqlite_master WHERE name = 'messages_fts_config'");
  },
  "the first page of its data zeroed": (path) => {
    zeroRoot(path, "messages_fts_data");
  },
  "the first page of its config zeroed": (path) => {
    zeroRoot(path, "messages_fts_config");
  },
  "the first pages of two of its tables zeroed": (path) => {
    zeroRoot(path, "messages_fts_docsize");
    zeroRoot(path, "messages_fts_idx");
  },
  "rows of its page index that lead nowhere": (path) => {
    edit(path, "UPDATE messages_fts_idx SET pgno = pgno + 99999");
  },
};
