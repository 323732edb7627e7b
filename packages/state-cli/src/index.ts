export { runCli } from "./run-cli.js";
export { EXIT } from "./errors/exit-code.js";
export type { ExitCode } from "./errors/exit-code.js";
