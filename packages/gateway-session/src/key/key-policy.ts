import type { SharingPolicy } from "../source/message-source.js";

/** How keys are built. */
export interface KeyPolicy extends SharingPolicy {
  /** Other numbers of a WhatsApp person, as the bridge maps phone numbers and LIDs; none when not given. */
  readonly whatsappAliases?: (number: string) => Iterable<string>;
}
