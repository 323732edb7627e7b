import { configuredSizeLimit } from "@hermes/state-core";

/** Messages that a resume takes on, as it is configured now; 0 means no limit. */
export function resolvedMaxResumeMessages(): number {
  return configuredSizeLimit("resume");
}

/** Messages that an export takes on, as it is configured now; 0 means no limit. */
export function resolvedMaxExportMessages(): number {
  return configuredSizeLimit("export");
}
