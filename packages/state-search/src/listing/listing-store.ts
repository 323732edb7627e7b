import type { StoreContext } from "@hermes/state-core";

/** What a listing needs of a store: it reads and never writes (SEA-16). */
export type ListingStore = Pick<StoreContext, "read">;
