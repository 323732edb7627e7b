/** Where a message came from, as a platform adapter saw it. Absent and null mean unknown; ids are opaque text. */
export interface MessageSource {
  /** telegram, slack, discord, matrix, whatsapp, api_server, ... */
  readonly platform: string;
  readonly chatId?: string | null;
  readonly chatName?: string | null;
  /** dm (default), group, channel, thread. */
  readonly chatType?: string | null;
  readonly userId?: string | null;
  readonly userName?: string | null;
  readonly threadId?: string | null;
  readonly chatTopic?: string | null;
  /** A second id of the same person; it wins over `userId` where participants are told apart. */
  readonly userIdAlt?: string | null;
  readonly chatIdAlt?: string | null;
  /** Workspace, guild or tenant; written as `guild_id` too. */
  readonly scopeId?: string | null;
  readonly parentChatId?: string | null;
  readonly messageId?: string | null;
  /** The profile that serves this peer; null, empty and "default" are the main one. */
  readonly profile?: string | null;
  readonly autoThreadCreated?: boolean;
  readonly autoThreadInitialName?: string | null;
  /** The thread that answering this channel message will open. */
  readonly prospectiveThreadId?: string | null;
  /** Never stored: a peer could forge it. The same holds for the next three. */
  readonly isBot?: boolean;
  readonly roleAuthorized?: boolean;
  readonly deliveredViaUpstreamRelay?: boolean;
  readonly routeRejected?: boolean;
}

/** Who shares a conversation outside of direct messages. */
export interface SharingPolicy {
  /** A session for each person of a group. Default true. */
  readonly groupSessionsPerUser?: boolean;
  /** A session for each person of a thread. Default false. */
  readonly threadSessionsPerUser?: boolean;
}
