import { visibleText } from "@hermes/state-core";

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text for any place in a page: markup is shown, control and direction characters are spelled out. */
export function escapeHtml(text: string): string {
  return visibleText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}
