/** What is known about who owns each page, one byte per page. */
export class PageLedger {
  static readonly #FREE = 1;
  static readonly #TAKEN = 2;
  readonly #marks: Uint8Array;

  /** @param pageCount - Pages of the file. */
  constructor(pageCount: number) {
    this.#marks = new Uint8Array(pageCount + 1);
  }

  /** On the freelist: what it holds was deleted. */
  isFree(page: number): boolean {
    return this.#marks[page] === PageLedger.#FREE;
  }

  /** Belongs to a b-tree that was walked. */
  isTaken(page: number): boolean {
    return this.#marks[page] === PageLedger.#TAKEN;
  }

  markFree(page: number): void {
    this.#marks[page] = PageLedger.#FREE;
  }

  /** @returns False when the page had an owner or does not exist. */
  take(page: number): boolean {
    if (page < 1 || page >= this.#marks.length || this.#marks[page] === PageLedger.#TAKEN) return false;
    this.#marks[page] = PageLedger.#TAKEN;
    return true;
  }

  release(page: number): void {
    this.#marks[page] = 0;
  }
}
