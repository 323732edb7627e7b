/** The command line asks for something that this command does not have; exit code 2. */
export class UsageError extends Error {
  readonly code = "STATE_E_USAGE";
}
