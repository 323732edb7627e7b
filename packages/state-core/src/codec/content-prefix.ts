/** Starts the stored form of structured content: a NUL, which ordinary text does not begin with, and a word. */
export const CONTENT_PREFIX = "\u0000json:";
