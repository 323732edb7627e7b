import { readFileSync } from "node:fs";
import { dirname } from "node:path";

const CROSS_VM_TYPES = new Set(["virtiofs", "fuse.virtiofs", "9p", "9p2000", "9p2000.l", "9p2000.u"]);

function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(parseInt(digits, 8)));
}

function covers(mountPoint: string, path: string): boolean {
  return mountPoint === "/" || path === mountPoint || path.startsWith(mountPoint + "/");
}

/** The file-system type of the longest mount point above `path`, from the text of /proc/self/mountinfo. */
export function fileSystemType(mountInfo: string, path: string): string | undefined {
  let best: { point: string; type: string } | undefined;
  for (const line of mountInfo.split("\n")) {
    const [before = "", after = ""] = line.split(" - ");
    const point = unescapeOctal(before.split(" ")[4] ?? "");
    const type = after.split(" ")[0];
    if (point === "" || !type || !covers(point, path)) continue;
    // A later mount on the same point hides the earlier one.
    if (!best || point.length >= best.point.length) best = { point, type };
  }
  return best?.type;
}

/**
 * True when the file lies on a mount shared with another kernel (virtiofs, 9p), where WAL's shared memory is not
 * shared: enabling it there corrupts in silence.
 *
 * @param path - Canonical path of the database.
 */
export function isCrossVmMount(path: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    const type = fileSystemType(readFileSync("/proc/self/mountinfo", "utf8"), dirname(path));
    return type !== undefined && CROSS_VM_TYPES.has(type.toLowerCase());
  } catch {
    // Without the table nothing is known against the mount.
    return false;
  }
}
