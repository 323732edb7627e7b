import type { JsonObject } from "@hermes/state-core";
import { otherParts, partType, pictureAddress } from "../rows/other-parts.js";
import type { ViewedMessage } from "../rows/view-message.js";
import { escapeHtml } from "./escape-html.js";

/** Pictures whose bytes are in the address; nothing is ever fetched. */
const EMBEDDED_IMAGE = /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]*$/;
const LONG_OUTPUT = 2000;
const LONGEST_SHOWN = 300;

/** One message as an element with the anchor `message-<id>`. */
export function htmlMessage(message: ViewedMessage): string {
  const { id, role, state, reasoning, calls } = message;
  const shown = [
    heading(message),
    reasoning === "" ? "" : details("Reasoning", data(reasoning)),
    ...bodyOf(message),
    ...calls.map(({ name, arguments: text }) => details(`Tool call ${name}`, data(text))),
  ].filter((part) => part !== "");
  return `<article id="message-${escapeHtml(id)}" class="${classOf(role)}${state === "archived" ? " archived" : ""}">
${shown.join("\n")}
</article>
`;
}

const KNOWN_ROLES: ReadonlySet<string> = new Set(["user", "assistant", "tool", "system"]);

function classOf(role: string): string {
  return KNOWN_ROLES.has(role) ? role : "other";
}

function heading({ role, toolName, isoTime, state }: ViewedMessage): string {
  const note = { active: "", archived: " · archived by compaction", summary: " · summary" }[state];
  const time = isoTime === undefined ? "time unknown" : `<time datetime="${isoTime}">${isoTime}</time>`;
  const who = toolName === undefined ? role : `${role} ${toolName}`;
  return `<h2>${escapeHtml(who)} · ${time}${note}</h2>`;
}

function bodyOf({ role, content, text }: ViewedMessage): string[] {
  const parts = otherParts(content).map(attachment);
  if (text === "") return parts;
  if (role !== "tool") return [`<p class="text">${escapeHtml(text)}</p>`, ...parts];
  return [text.length > LONG_OUTPUT ? details("Output", data(text)) : data(text), ...parts];
}

/** Pictures are shown when their bytes are here; everything else is named. */
function attachment(part: JsonObject): string {
  const url = pictureAddress(part);
  if (url !== undefined && EMBEDDED_IMAGE.test(url)) return `<img alt="picture" src="${url.replace(/\s+/g, "")}">`;
  const where = url !== undefined && !url.startsWith("data:") ? `: ${url}` : "";
  return `<p><em>[${escapeHtml(`${partType(part)}${where}`.slice(0, LONGEST_SHOWN))}]</em></p>`;
}

function details(title: string, body: string): string {
  return `<details><summary>${escapeHtml(title)}</summary>${body}</details>`;
}

function data(text: string): string {
  return `<pre class="data">${escapeHtml(text)}</pre>`;
}
