import { AsyncResource } from "node:async_hooks";
import { setImmediate } from "node:timers/promises";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  asyncDeliverySupported,
  clearSessionVars,
  declareStatelessChannel,
  getSessionEnv,
  NON_MESSAGING_SESSION_SURFACES,
  resetSessionVars,
  scopedCurrentSessionId,
  sessionContextEngaged,
  sessionIsMessagingSurface,
  setCurrentSessionId,
  setSessionVars,
} from "../src/gateway/session-context/index.js";

/** Work of its own, as a message that comes in. */
function work<T>(run: () => T): T {
  return new AsyncResource("message").runInAsyncScope(run);
}

afterEach(() => {
  resetSessionVars();
  vi.unstubAllEnvs();
});

describe("whose session some work belongs to", () => {
  it("CPT-03 nobody has said before the first one does", () => {
    expect(sessionContextEngaged()).toBe(false);
    resetSessionVars();
    expect(sessionContextEngaged()).toBe(false);
    work(() => setSessionVars("telegram"));
    expect(sessionContextEngaged()).toBe(true);
  });

  it("CPT-03 flows with the work and into no other", async () => {
    const seen = await Promise.all(
      ["a", "b", "c"].map((id) =>
        work(async () => {
          setSessionVars({ platform: "telegram", sessionId: id });
          await setImmediate();
          return getSessionEnv("HERMES_SESSION_ID");
        }),
      ),
    );
    expect(seen).toEqual(["a", "b", "c"]);
    expect(getSessionEnv("HERMES_SESSION_ID", "none")).toBe("none");
  });

  it("CPT-03 is given in the old order or by name", () => {
    setSessionVars("telegram", "gateway", "42", "dm", "Anna", null, "7");
    expect(getSessionEnv("HERMES_SESSION_CHAT_ID")).toBe("42");
    expect(getSessionEnv("HERMES_SESSION_USER_ID")).toBe("7");
    expect(getSessionEnv("HERMES_SESSION_THREAD_ID", "none")).toBe("");
    expect(() => setSessionVars({ chat: "42" } as never)).toThrow(TypeError);
    expect(() => setSessionVars(42 as never)).toThrow(TypeError);
  });

  it("CPT-03 is nobody's after the work, and the environment's where nobody said", () => {
    vi.stubEnv("HERMES_SESSION_ID", "of the process");
    expect(getSessionEnv("HERMES_SESSION_ID")).toBe("of the process");
    const tokens = setSessionVars({ sessionId: "s1" });
    expect(getSessionEnv("HERMES_SESSION_ID")).toBe("s1");
    clearSessionVars(tokens);
    expect(getSessionEnv("HERMES_SESSION_ID", "none")).toBe("");
    resetSessionVars();
    expect(getSessionEnv("HERMES_SESSION_ID")).toBe("of the process");
  });

  it("CPT-03 may change to another session, for good or for a block", () => {
    setSessionVars({ platform: "telegram", sessionId: "s1" });
    {
      using scope = scopedCurrentSessionId("s2");
      expect([scope, getSessionEnv("HERMES_SESSION_ID")]).toEqual([scope, "s2"]);
      expect(getSessionEnv("HERMES_SESSION_PLATFORM")).toBe("telegram");
    }
    expect(getSessionEnv("HERMES_SESSION_ID")).toBe("s1");
    setCurrentSessionId("s3");
    expect(getSessionEnv("HERMES_SESSION_ID")).toBe("s3");
    expect(process.env["HERMES_SESSION_ID"]).not.toBe("s3");
  });
});

describe("how a session is talked to", () => {
  it("CPT-03 is over a chat platform, or not", () => {
    expect(sessionIsMessagingSurface()).toBe(false);
    setSessionVars({ platform: "Telegram" });
    expect(sessionIsMessagingSurface()).toBe(true);
    for (const platform of NON_MESSAGING_SESSION_SURFACES) {
      setSessionVars({ platform });
      expect(sessionIsMessagingSurface()).toBe(false);
    }
  });

  it("CPT-03 lets answers come later unless somebody says that nobody waits for them", () => {
    expect(asyncDeliverySupported()).toBe(true);
    work(() => {
      setSessionVars({ platform: "api_server" });
      declareStatelessChannel();
      expect(asyncDeliverySupported()).toBe(false);
      expect(getSessionEnv("HERMES_SESSION_PLATFORM")).toBe("api_server");
    });
    expect(asyncDeliverySupported()).toBe(true);
    setSessionVars({ asyncDelivery: false });
    expect(asyncDeliverySupported()).toBe(false);
  });
});
