import { ATIF } from "./atif/atif.js";
import { CHATGPT } from "./chatgpt/chatgpt.js";
import { CLAUDE_CODE } from "./claude-code/claude-code.js";
import { CODEX } from "./codex/codex.js";
import type { ForeignFormat } from "./foreign-format.js";
import { OPENAI } from "./openai/openai.js";
import { PI } from "./pi/pi.js";
import { SHAREGPT } from "./sharegpt/sharegpt.js";

/** The formats of other programs, those with the plainest marks first. */
export const FOREIGN_FORMATS: readonly ForeignFormat[] = [ATIF, CODEX, PI, CLAUDE_CODE, CHATGPT, SHAREGPT, OPENAI];
