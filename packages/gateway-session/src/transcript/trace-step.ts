import { channel } from "node:diagnostics_channel";

/** Where a message is on its way; between any two of these the process may die (GWS-05). */
export type TranscriptStep =
  | "accepted"
  | "draft-begun"
  | "draft-written"
  | "draft-renamed"
  | "spooled"
  | "appending"
  | "appended"
  | "unspooling"
  | "unspooled"
  | "claimed"
  | "set-aside"
  | "moved"
  | "publishing"
  | "published";

const steps = channel("hermes:gateway:transcript");

/** Tells whoever listens how far a message is: for tracing, and for tests that end the process there. */
export function traceStep(step: TranscriptStep, about: string): void {
  if (steps.hasSubscribers) steps.publish({ step, about });
}
