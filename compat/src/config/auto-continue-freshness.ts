/** `HERMES_AUTO_CONTINUE_FRESHNESS`: how long an interrupted turn may be taken up again, as it was set. */
export function autoContinueFreshnessText(): string | undefined {
  return process.env["HERMES_AUTO_CONTINUE_FRESHNESS"];
}
