"use strict";

// A plugin in CommonJS, as it was written: the store and its helpers from the old modules.
const { SessionDB } = require("@hermes/compat/hermes-state");
const { classifyPersistenceError } = require("@hermes/state-core");
const { collectStats: collect } = require("@hermes/state-repair");
const repairStateRepair = require("@hermes/state-repair");
const schema = require("@hermes/state-schema").SCHEMA_VERSION;

exports.name = "store-report";

/** Lines about a store: what is in it, who holds it, and its latest conversations. */
exports.run = async function run(path) {
  let db;
  try {
    db = new SessionDB(path, { readOnly: true });
  } catch (error) {
    return [`no report: ${classifyPersistenceError(error)}`];
  }
  try {
    const { sessions, messages } = await collect(path);
    const holders = repairStateRepair.holdersCount(path) ?? "unknown";
    const latest = db.listSessionsRich({ limit: 3 }).map(({ id, title }) => `- ${title ?? id}`);
    return [`schema ${schema}, sessions: ${sessions}, messages: ${messages}, holders: ${holders}`, ...latest];
  } finally {
    db.close();
  }
};
