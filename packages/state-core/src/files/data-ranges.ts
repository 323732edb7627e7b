import { createRequire } from "node:module";
import { constants } from "node:os";
import type koffi from "koffi";

type Koffi = typeof koffi;
/** Where the next data, or hole, begins; undefined when none follows. */
type Seek = (descriptor: number, offset: number, whence: number) => number | undefined;

const SEEK_DATA = 3;
const SEEK_HOLE = 4;

let seek: Seek | undefined;

/** Without the call, and where the volume does not answer it, everything counts as data. */
const allData: Seek = (_, offset, whence) => (whence === SEEK_DATA ? offset : undefined);

function load(): Seek {
  try {
    const library = createRequire(import.meta.url)("koffi") as Koffi;
    const lseek = library.load(null).func("int64_t lseek(int, int64_t, int)") as (...args: number[]) => number;
    return (descriptor, offset, whence) => {
      const found = lseek(descriptor, offset, whence);
      if (found >= 0) return found;
      return library.errno() === constants.errno.ENXIO ? undefined : allData(descriptor, offset, whence);
    };
  } catch {
    // The library that calls the system is missing here; a file is read whole then.
    return allData;
  }
}

/** A stretch of a file, half-open, in bytes. */
export interface DataRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Where a file holds data; what lies between are holes, which read as zero. One range, the whole file, where the
 * system does not tell. Moves the position of the descriptor.
 *
 * @param descriptor - An open file.
 * @param size - Bytes to look at.
 */
export function* dataRanges(descriptor: number, size: number): Generator<DataRange> {
  seek ??= process.platform === "linux" ? load() : allData;
  let position = 0;
  while (position < size) {
    const start = seek(descriptor, position, SEEK_DATA);
    if (start === undefined || start >= size) return;
    const hole = seek(descriptor, start, SEEK_HOLE) ?? size;
    const end = hole > start && hole < size ? hole : size;
    yield { start, end };
    position = end;
  }
}
