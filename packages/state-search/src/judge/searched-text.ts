import type { TermNode } from "../language/query.js";
import { foldText } from "../meaning/fold-text.js";
import { readAtoms, type Atom } from "../meaning/read-atoms.js";
import { readGap } from "../meaning/read-gap.js";

/** Where a term stands in a text, in code units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

type WantedAtom = TermNode["atoms"][number];

/** One text with what is worked out about it, each thing at most once and only when asked for. */
export class SearchedText {
  readonly text: string;
  #folded: string | undefined;
  #atoms: readonly Atom[] | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** True when the term stands in the text (SEA-17). */
  has(term: TermNode): boolean {
    return this.spans(term, 1).length > 0;
  }

  /**
   * Where the term stands in the text.
   *
   * @param limit - Stop after so many places.
   */
  spans(term: TermNode, limit: number): readonly Span[] {
    const [first] = term.atoms;
    if (first === undefined || !this.#mayHave(term)) return [];
    const spans: Span[] = [];
    const atoms = (this.#atoms ??= readAtoms(this.text));
    for (let at = 0; at < atoms.length && spans.length < limit; at++) {
      if (term.atoms.length > 1) {
        const span = this.#chainAt(term, atoms, at);
        if (span) spans.push(span);
      } else spans.push(...singleSpans(first, term.prefix, atoms[at]));
    }
    return spans;
  }

  /** A cheap look before the text is cut into atoms: every atom of the term is some stretch of the folded text. */
  #mayHave(term: TermNode): boolean {
    const folded = (this.#folded ??= foldText(this.text));
    return term.atoms.every((atom) => folded.includes(atom.text));
  }

  #chainAt(term: TermNode, atoms: readonly Atom[], at: number): Span | undefined {
    const last = term.atoms.length - 1;
    if (at + last >= atoms.length) return undefined;
    for (let index = 0; index <= last; index++) {
      const wanted = term.atoms[index] as WantedAtom;
      const found = atoms[at + index] as Atom;
      if (wanted.kind !== found.kind || !linkMatches(wanted, found, index, last, term.prefix)) return undefined;
      if (index > 0 && !this.#gapMatches(term, atoms, at, index)) return undefined;
    }
    const first = atoms[at] as Atom;
    const end = atoms[at + last] as Atom;
    const [firstWanted, lastWanted] = [term.atoms[0] as WantedAtom, term.atoms[last] as WantedAtom];
    return { start: startInRun(firstWanted, first), end: endInRun(lastWanted, end) };
  }

  /** Between words any punctuation or space joins; beside a run what was asked for stands there exactly. */
  #gapMatches(term: TermNode, atoms: readonly Atom[], at: number, index: number): boolean {
    const before = atoms[at + index - 1] as Atom;
    const after = atoms[at + index] as Atom;
    const wanted = term.gaps[index - 1];
    if (before.kind === "word" && after.kind === "word") return (wanted === "") === (before.end === after.start);
    return wanted === readGap(this.text, before.end, after.start);
  }
}

function linkMatches(wanted: WantedAtom, found: Atom, index: number, last: number, prefix: boolean): boolean {
  if (wanted.kind === "word") {
    return prefix && index === last ? found.text.startsWith(wanted.text) : found.text === wanted.text;
  }
  if (index === 0) return found.text.endsWith(wanted.text);
  return index === last ? found.text.startsWith(wanted.text) : found.text === wanted.text;
}

function singleSpans(wanted: WantedAtom, prefix: boolean, found: Atom | undefined): readonly Span[] {
  if (found?.kind !== wanted.kind) return [];
  if (wanted.kind === "word") {
    const matches = prefix ? found.text.startsWith(wanted.text) : found.text === wanted.text;
    return matches ? [{ start: found.start, end: found.end }] : [];
  }
  const at = found.text.indexOf(wanted.text);
  return at === -1 ? [] : [spanInRun(found, at, wanted.text.length)];
}

/** Folding keeps the length of an unsegmented run; of emoji it drops selectors, then the whole run is the place. */
function spanInRun(run: Atom, from: number, length: number): Span {
  if (run.text.length !== run.end - run.start) return { start: run.start, end: run.end };
  return { start: run.start + from, end: run.start + from + length };
}

function startInRun(wanted: WantedAtom, found: Atom): number {
  return wanted.kind === "word" ? found.start : spanInRun(found, found.text.length - wanted.text.length, 0).start;
}

function endInRun(wanted: WantedAtom, found: Atom): number {
  return wanted.kind === "word" ? found.end : spanInRun(found, 0, wanted.text.length).end;
}
