/** Messages that a resume takes on unless something else is configured. */
export const MAX_SAFE_RESUME_MESSAGES = 20_000;

/** Messages that an export takes on unless something else is configured. */
export const MAX_SAFE_EXPORT_MESSAGES = 20_000;
