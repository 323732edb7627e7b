import { currentFlow, enterFlow } from "./session-variables.js";

/** Whoever asked here is gone once the answer is given: nothing can be delivered later (CPT-03). */
export function declareStatelessChannel(): void {
  enterFlow({ variables: currentFlow()?.variables ?? new Map(), asyncDelivery: false });
}

/** Whether an answer may come later than the request that asked for it (CPT-03). Default: it may. */
export function asyncDeliverySupported(): boolean {
  return currentFlow()?.asyncDelivery ?? true;
}
