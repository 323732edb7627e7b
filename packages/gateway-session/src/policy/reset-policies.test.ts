import { expect, it } from "vitest";
import { checkResetPolicy } from "./check-reset-policy.js";
import { checkResetPolicies, notifiesReset, resolvePolicy } from "./reset-policies.js";
import { DEFAULT_RESET_POLICY } from "./reset-policy.js";
import type { ResetPolicy } from "./reset-policy.js";

const policies = checkResetPolicies({
  default: { mode: "idle", idleMinutes: 60 },
  byChatType: { group: { mode: "daily" }, thread: { mode: "both", atHour: 6 } },
  byPlatform: { Telegram: { mode: "daily", atHour: 5 } },
});

it.each([
  ["a platform's own policy wins over that of the chat type", { platform: "telegram", chatType: "group" }, "daily", 5],
  ["the policy of a chat type wins over the default", { platform: "slack", chatType: "group" }, "daily", 4],
  ["the default holds for everything else", { platform: "slack", chatType: "channel" }, "idle", 4],
  ["a source without a chat type is a direct message", { platform: "slack", chatType: null }, "idle", 4],
  ["names are compared without case", { platform: "TELEGRAM", chatType: "DM" }, "daily", 5],
  ["a thread has its own policy", { platform: "slack", chatType: "thread", threadId: "1" }, "both", 6],
  [
    "the message that opens a thread has the policy of that thread",
    { platform: "discord", chatType: "group", prospectiveThreadId: "1" },
    "both",
    6,
  ],
  ["a direct message opens no thread", { platform: "discord", chatType: "dm", prospectiveThreadId: "1" }, "idle", 4],
])("GWS-03 %s", (_, source, mode, atHour) => {
  expect(resolvePolicy(policies, source)).toMatchObject({ mode, atHour });
});

it("GWS-03 a policy takes nothing over from the default one, and time resets nothing where nobody asks for it", () => {
  expect(resolvePolicy(policies, { platform: "slack", chatType: "group" }).idleMinutes).toBe(1440);
  expect(resolvePolicy(checkResetPolicies(), { platform: "slack" })).toEqual(DEFAULT_RESET_POLICY);
  expect(DEFAULT_RESET_POLICY.mode).toBe("none");
});

it("GWS-03 a platform named like a property of every object has no policy by that", () => {
  expect(resolvePolicy(policies, { platform: "constructor", chatType: "toString" }).mode).toBe("idle");
});

it("GWS-03 a setting that is absent or undefined has its default", () => {
  const given = { mode: "daily", atHour: undefined } as unknown as Partial<ResetPolicy>;
  expect(checkResetPolicy("default", given)).toEqual({ ...DEFAULT_RESET_POLICY, mode: "daily" });
});

it.each([
  ["mode", "weekly"],
  ["mode", null],
  ["atHour", 24],
  ["atHour", -1],
  ["atHour", 4.5],
  ["atHour", "4"],
  ["idleMinutes", 0],
  ["idleMinutes", -5],
  ["idleMinutes", Number.NaN],
  ["idleMinutes", Infinity],
  ["notify", "yes"],
  ["notifyExclude", "webhook"],
  ["notifyExclude", [1]],
  ["backgroundMaxAgeHours", -1],
  ["resumeFreshnessSeconds", "1h"],
  ["resumeFreshnessSeconds", Infinity],
])("GWS-03 a policy whose %s is %j is refused by name", (field, value) => {
  const settings = { byPlatform: { telegram: { [field]: value } } } as never;
  const facts = expect.objectContaining({ policy: "byPlatform.telegram", field }) as unknown;
  expect(() => checkResetPolicies(settings)).toThrow(
    expect.objectContaining({ code: "STATE_E_BAD_RESET_POLICY", facts }),
  );
});

it("GWS-03 a setting or a group of policies that does not exist is refused", () => {
  expect(() => checkResetPolicy("default", { idleMinute: 5 } as never)).toThrow(TypeError);
  expect(() => checkResetPolicies({ byPlatforms: {} } as never)).toThrow(TypeError);
  expect(() => checkResetPolicies({ byPlatform: { telegram: null } } as never)).toThrow(TypeError);
});

it("GWS-03 a peer is told of a reset unless its platform is left out or nobody is told", () => {
  expect(notifiesReset(DEFAULT_RESET_POLICY, "telegram")).toBe(true);
  expect(notifiesReset(DEFAULT_RESET_POLICY, "Webhook")).toBe(false);
  expect(notifiesReset({ ...DEFAULT_RESET_POLICY, notify: false }, "telegram")).toBe(false);
});
