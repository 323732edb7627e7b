/** Where backups go when no folder is named: this one, beside the store. */
export const DEFAULT_BACKUP_FOLDER = "backups";
