import { CLAUDE_CODE } from "./claude-code/claude-code.js";
import type { ForeignFormat } from "./foreign-format.js";

/** The formats of other programs, the ones that are most easily told first. */
export const FOREIGN_FORMATS: readonly ForeignFormat[] = [CLAUDE_CODE];
