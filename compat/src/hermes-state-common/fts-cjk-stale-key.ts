import { META_KEYS } from "@hermes/state-schema";

/** The fact about a file that says its CJK index missed writes. */
export const FTS_CJK_STALE_KEY: string = META_KEYS.ftsCjkStale.key;
