import { contentText, type MessageContent } from "@hermes/state-core";
import { indexAfter } from "../meaning/first-characters.js";

/** Most characters of a message, of a message at an end of its session, and of a line about a session. */
export const WINDOW_CHARACTERS = 4_000;
export const BOOKEND_CHARACTERS = 1_200;
export const LINE_CHARACTERS = 200;

/** Sequences that steer a terminal. */
// eslint-disable-next-line no-control-regex -- these are the characters to take out
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

/** The first characters of a text without terminal sequences. */
export function shownText(text: string, most: number): { readonly text: string; readonly cut: boolean } {
  const plain = text.replace(ANSI, "");
  const end = indexAfter(plain, most);
  return { text: plain.slice(0, end).toWellFormed(), cut: end !== undefined };
}

/** One line about a session, capped; null where there is none. */
export function shownLine(text: string | null | undefined): string | null {
  return text === null || text === undefined ? null : shownText(text, LINE_CHARACTERS).text;
}

/** The words of a message; what is no words is named and not shown. */
export function wordsOf(content: MessageContent | undefined): string {
  const words = contentText(content);
  return words === "" && typeof content === "object" && content !== null ? "[multimodal content]" : words;
}
