import { visibleText } from "@hermes/state-core";

/** Stored text for one line of a terminal: runs of white space become one space, nothing steers the terminal. */
export function sanitizeLine(text: string): string {
  return visibleText(text.replace(/\s+/g, " ").trim());
}
