import { META_KEYS } from "../../meta-keys.js";
import { detectFtsLayout } from "../../fts/detect-fts-layout.js";
import { setMeta } from "../../sql/set-meta.js";
import { completeMigration } from "./complete-migration.js";
import type { Migration } from "./migration.js";

/** Version 23: an old search layout is left as it is, and its upgrade is offered (SCH-05). */
export const OFFER_OPTIMIZE: Migration = {
  gate: 23,
  about: "offer the upgrade of an old search layout",
  run: ({ host }) => {
    completeMigration(host, "offer the search upgrade", OFFER_OPTIMIZE.gate, (w) => {
      const layout = detectFtsLayout(w);
      if (layout === 0 || layout === "content-only" || layout === "mixed") {
        setMeta(w, META_KEYS.ftsOptimizeAvailable.key, "1");
      }
    });
    return true;
  },
};
