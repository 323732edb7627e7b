/** What a worker serves beside the parts of its store. */
export function serveStore(store) {
  return async (method, args, note) => {
    if (method === "fail") throw new RangeError("refused");
    note("before");
    await Promise.resolve();
    return { method, args, sessions: store.sessions.count() };
  };
}
