import { derivedId } from "./derived-id.js";
import type { ForeignMessage } from "./foreign-session.js";

/** How many messages tell a conversation without an id from the others of its file. */
const OPENING = 2;

/** Makes ids for the conversations of one file that have none: from how they begin, numbered where they begin alike. */
export class OpeningIds {
  readonly #alike = new Map<string, number>();

  /** @param prefix - Names the format. */
  constructor(
    private readonly prefix: string,
    private readonly fileName: string,
  ) {}

  /** The id of the next conversation of the file; the order of the calls is part of it. */
  next(messages: readonly ForeignMessage[]): string {
    const opening = derivedId(this.fileName, ...messages.slice(0, OPENING).map(({ uid }) => uid));
    const count = (this.#alike.get(opening) ?? 0) + 1;
    this.#alike.set(opening, count);
    return `${this.prefix}-${opening}${count > 1 ? `-${count}` : ""}`;
  }
}
