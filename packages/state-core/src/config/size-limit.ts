import { environmentVariable } from "./environment.js";

/** What a session may be too large for. */
export type SizedOperation = "resume" | "export";

/** Messages that a resume or an export takes on unless something else is configured (COR-35). */
export const DEFAULT_SIZE_LIMIT = 20_000;

const VARIABLES: Readonly<Record<SizedOperation, string>> = {
  resume: "HERMES_MAX_RESUME_MESSAGES",
  export: "HERMES_MAX_EXPORT_MESSAGES",
};

/**
 * How many messages a resume or an export takes on, read now: `HERMES_MAX_RESUME_MESSAGES` and
 * `HERMES_MAX_EXPORT_MESSAGES`. 0 means no limit; anything else that is no whole number of messages is ignored.
 */
export function configuredSizeLimit(operation: SizedOperation): number {
  const text = environmentVariable(VARIABLES[operation])?.trim() ?? "";
  const limit = /^\d+$/.test(text) ? Number(text) : NaN;
  return Number.isSafeInteger(limit) ? limit : DEFAULT_SIZE_LIMIT;
}

/** The variable that sets the limit of an operation. */
export function sizeLimitVariable(operation: SizedOperation): string {
  return VARIABLES[operation];
}
