/** The schema version this package writes and migrates to (GND-01). A file with a higher one is opened as it is. */
export const SCHEMA_VERSION = 30;
