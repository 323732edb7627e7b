import { CONTEXT_PATTERNS } from "./context-patterns.js";
import { KEY_PATTERNS } from "./key-patterns.js";
import type { SecretPattern } from "./secret-pattern.js";

/**
 * Common secrets (POR-06). Each is anchored at a place that cannot stand inside of its own match, so that looking costs
 * time in proportion to the text. The special ones come first: what they took out is left alone by the others.
 */
export const SECRET_PATTERNS: readonly SecretPattern[] = [...KEY_PATTERNS, ...CONTEXT_PATTERNS];
