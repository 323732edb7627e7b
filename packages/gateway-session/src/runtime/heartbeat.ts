import { checkKnownOptions, systemClock } from "@hermes/state-core";
import type { Clock, GatewayBackend, GatewayHeartbeat } from "@hermes/state-core";
import type { GatewayRecordsPort } from "../port/gateway-records-port.js";

/** How often a gateway says that it runs. */
const INTERVAL_MS = 30_000;
/** So many words missed, and a gateway counts as gone. */
const MISSED = 3;

/** How a gateway says that it runs. */
export interface HeartbeatOptions {
  /** Default 30,000. */
  readonly intervalMs?: number;
  /** Told why a word could not be written; the next one is tried all the same. */
  readonly onError?: (error: unknown) => void;
}

/** A gateway that says that it runs. */
export interface Heartbeat {
  /** Says that it ends. @returns Whether the storage took it; where it did not, the gateway will look gone. */
  stop(): Promise<boolean>;
}

/**
 * Says at once and from then on that a gateway runs. It keeps no process alive, and a storage that fails does not stop
 * it.
 */
export async function startHeartbeat(
  port: Pick<GatewayRecordsPort, "beat" | "endBeat">,
  backend: GatewayBackend,
  options: HeartbeatOptions = {},
): Promise<Heartbeat> {
  checkKnownOptions("startHeartbeat", options, ["intervalMs", "onError"]);
  const { intervalMs = INTERVAL_MS, onError } = options;
  if (!(intervalMs > 0)) throw new RangeError(`startHeartbeat: intervalMs must be above 0, not ${String(intervalMs)}.`);
  let running: Promise<void> | undefined;
  const beat = async (): Promise<void> => {
    try {
      await port.beat(backend);
    } catch (error) {
      onError?.(error);
    }
  };
  const tick = (): void => {
    // A storage that takes longer than the interval gets one word at a time.
    running ??= beat().finally(() => (running = undefined));
  };
  const timer = setInterval(tick, intervalMs);
  timer.unref();
  tick();
  await running;
  return {
    async stop() {
      clearInterval(timer);
      await running;
      try {
        return await port.endBeat(backend.backendId);
      } catch (error) {
        onError?.(error);
        return false;
      }
    },
  };
}

/** A gateway as it was last seen, and whether it still runs as far as one can tell. */
export interface SeenGateway extends GatewayHeartbeat {
  /** How long ago it was seen; undefined where that cannot be read. Below zero when its clock is ahead. */
  readonly ageSeconds: number | undefined;
  /** It said nothing for too long and did not say that it ends. */
  readonly stale: boolean;
}

/**
 * The gateways that did not say that they ended, the last seen first.
 *
 * @param options - `staleAfterSeconds`: a gateway that said nothing for longer counts as gone. Default 90.
 */
export async function listGateways(
  port: Pick<GatewayRecordsPort, "heartbeats">,
  options: { readonly staleAfterSeconds?: number; readonly clock?: Pick<Clock, "now"> } = {},
): Promise<readonly SeenGateway[]> {
  checkKnownOptions("listGateways", options, ["staleAfterSeconds", "clock"]);
  const { staleAfterSeconds = (INTERVAL_MS * MISSED) / 1000, clock = systemClock } = options;
  const now = clock.now();
  return (await port.heartbeats()).map((gateway) => {
    const { lastHeartbeatSeconds: last } = gateway;
    const ageSeconds = typeof last === "number" ? now - last : undefined;
    return { ...gateway, ageSeconds, stale: ageSeconds === undefined || ageSeconds > staleAfterSeconds };
  });
}
