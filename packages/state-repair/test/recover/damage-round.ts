import type { TestRandom } from "@hermes/testkit";

/** Size of the pages that are damaged. */
export const PAGE = 4096;

/** A damaged copy of a file, and which pages are not what they were. */
export interface DamagedFile {
  readonly bytes: Buffer;
  readonly touched: ReadonlySet<number>;
  /** Single bytes were changed: such damage cannot always be told from what was written. */
  readonly flipped: boolean;
  /** What was done, to print when a round fails. */
  readonly story: string;
}

type Hurt = (bytes: Buffer, page: number, random: TestRandom) => string;

const flip: Hurt = (bytes, page, random) => {
  const count = random.int(1, 12);
  for (let index = 0; index < count; index += 1) {
    const at = (page - 1) * PAGE + random.int(0, PAGE - 1);
    if (at < bytes.length) bytes[at] = (bytes[at] ?? 0) ^ (1 << random.int(0, 7));
  }
  return `flip ${count} in ${page}`;
};

const zero: Hurt = (bytes, page) => {
  bytes.fill(0, (page - 1) * PAGE, page * PAGE);
  return `zero ${page}`;
};

const tear: Hurt = (bytes, page) => {
  bytes.fill(0, (page - 1) * PAGE + PAGE / 2, page * PAGE);
  return `tear ${page}`;
};

const scribble: Hurt = (bytes, page, random) => {
  const end = Math.min(page * PAGE, bytes.length);
  for (let at = (page - 1) * PAGE; at < end; at += 1) bytes[at] = random.int(0, 255);
  return `scribble ${page}`;
};

const KINDS: readonly Hurt[] = [flip, flip, zero, zero, tear, scribble];

/** Damages a copy in one to six places; one time in eight it is cut short too. */
export function damageCopy(original: Buffer, random: TestRandom): DamagedFile {
  let bytes = Buffer.from(original);
  const pages = original.length / PAGE;
  const touched = new Set<number>();
  const story: string[] = [];
  let flipped = false;
  const places = random.int(1, 6);
  for (let place = 0; place < places; place += 1) {
    // The first pages hold header, schema and roots: they are hit more often than chance would.
    const page = random.int(0, 3) === 0 ? random.int(1, Math.min(60, pages)) : random.int(1, pages);
    const hurt = random.pick(KINDS);
    flipped ||= hurt === flip;
    touched.add(page);
    story.push(hurt(bytes, page, random));
  }
  if (random.int(0, 7) === 0) {
    const kept = random.int(Math.floor(pages / 3), pages - 1);
    for (let page = kept + 1; page <= pages; page += 1) touched.add(page);
    const odd = random.int(0, 1) * random.int(1, PAGE - 1);
    if (odd > 0) touched.add(kept);
    bytes = bytes.subarray(0, kept * PAGE - odd);
    story.push(`cut to ${kept} pages less ${odd} bytes`);
  }
  return { bytes, touched, flipped, story: story.join(", ") };
}
