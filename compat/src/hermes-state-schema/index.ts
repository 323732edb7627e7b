export { schemaReadProbeStatements } from "./schema-read-probe-statements.js";
