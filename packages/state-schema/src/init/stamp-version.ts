import type { Writer } from "../sql/handles.js";

const RAISE = "UPDATE schema_version SET version = ? WHERE version < ?";
const INSERT = "INSERT INTO schema_version (version) SELECT ? WHERE NOT EXISTS (SELECT 1 FROM schema_version)";

/** Raises the version stamp, or sets it when there is none. It is never lowered (GND-01). */
export function stampVersion(w: Writer, version: number): void {
  if (w.run(INSERT, [version]).changes === 0) w.run(RAISE, [version, version]);
}
