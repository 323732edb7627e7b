const SMALLEST = 1024;
const FULLEST = 0.6;
const EMPTY = 0;

/**
 * Which sessions may hold which uids, as numbers: a million uids take some twenty megabytes. Two uids may share a
 * number, so an answer is a place to look, not a fact.
 */
export class UidTable {
  #keys: Float64Array = new Float64Array(SMALLEST);
  #sessions: Uint32Array = new Uint32Array(SMALLEST);
  #used = 0;

  /** @param session - A number that stands for the session. */
  add(uid: string, session: number): void {
    if (this.#used >= this.#keys.length * FULLEST) this.#grow();
    this.#put(hashOf(uid), session);
  }

  /** Sessions that may hold the uid, each once. */
  find(uid: string): ReadonlySet<number> {
    const found = new Set<number>();
    const key = hashOf(uid);
    for (let at = this.#slot(key); this.#keys[at] !== EMPTY; at = this.#after(at))
      if (this.#keys[at] === key) found.add(this.#sessions[at] ?? 0);
    return found;
  }

  #put(key: number, session: number): void {
    let at = this.#slot(key);
    for (; this.#keys[at] !== EMPTY; at = this.#after(at))
      if (this.#keys[at] === key && this.#sessions[at] === session) return;
    this.#keys[at] = key;
    this.#sessions[at] = session;
    this.#used += 1;
  }

  #grow(): void {
    const [keys, sessions] = [this.#keys, this.#sessions];
    this.#keys = new Float64Array(keys.length * 2);
    this.#sessions = new Uint32Array(keys.length * 2);
    this.#used = 0;
    keys.forEach((key, at) => {
      if (key !== EMPTY) this.#put(key, sessions[at] ?? 0);
    });
  }

  #slot(key: number): number {
    return key % this.#keys.length;
  }

  #after(at: number): number {
    return at + 1 === this.#keys.length ? 0 : at + 1;
  }
}

/** 53 bits of a text, never 0: two multiplicative hashes side by side. */
function hashOf(text: string): number {
  let low = 0x9e3779b9;
  let high = 0x85ebca6b;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01000193);
    high = Math.imul(high ^ unit, 0x5bd1e995) ^ (high >>> 15);
  }
  low = Math.imul(low ^ (low >>> 16), 0x7feb352d) ^ (high >>> 13);
  high = Math.imul(high ^ (high >>> 16), 0x846ca68b) ^ (low >>> 15);
  return (high >>> 11) * 2 ** 32 + (low >>> 0) || 1;
}
