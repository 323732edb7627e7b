import type { MessageRow } from "./message-row.js";

/**
 * Which rows to read: `active` is what the model sees; `visible` is the history to show, with what a compaction
 * summarised away, each message once however often it was carried over (COR-28); `all` is every row, also what was
 * rewound.
 */
export type MessageScope = (typeof MESSAGE_SCOPES)[number];

/** The words of {@link MessageScope}. */
export const MESSAGE_SCOPES = ["active", "visible", "all"] as const;

/** How to page through the messages of a session. */
export interface MessagePageOptions {
  /** Rows per page, 1 to 10,000; default 100. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
  /** By insertion; default `oldest` first. */
  readonly order?: "oldest" | "newest";
  /** Default `active`. */
  readonly include?: MessageScope;
}

/** One page of messages. */
export interface MessagePage {
  readonly messages: readonly MessageRow[];
  /** Pass it to read on; undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** How to read all messages of a session; see {@link MessagePageOptions}. */
export type MessageIterateOptions = Pick<MessagePageOptions, "order" | "include">;
