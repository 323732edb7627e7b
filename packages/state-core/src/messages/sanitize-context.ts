const BLOCK = /<\s*memory-context\s*>[\s\S]*?<\/\s*memory-context\s*>/gi;
const STRAY_TAG = /<\/?\s*memory-context\s*>/gi;

/**
 * Removes context that was injected into a message for one call: `<memory-context>` blocks with what they hold, and
 * left-over tags of them. Such text was never said, and sent back it would be taken for something the user said.
 */
export function sanitizeContext(text: string): string {
  // The cheap test first: nearly all text has no tag.
  if (!text.includes("<") || !/memory-context/i.test(text)) return text;
  return text.replace(BLOCK, "").replace(STRAY_TAG, "");
}
