import { patternTree } from "../../src/redact/pattern-tree.js";
import type { PatternNode } from "../../src/redact/pattern-tree.js";

/** One instruction of a program that a backtracking engine runs. */
type Step =
  | { readonly op: "character"; readonly test: (character: string) => boolean; readonly back: boolean }
  | { readonly op: "anchor"; readonly source: string }
  | { readonly op: "look"; readonly program: readonly Step[]; readonly negative: boolean }
  /** Goes on at `first`, and at `second` if that fails. */
  | { op: "split"; first: number; second: number }
  | { op: "jump"; to: number };

/**
 * A backtracking engine for regular expressions that counts what it does: the same search as the real one's, without
 * its shortcuts.
 */
export class StepEngine {
  readonly #program: readonly Step[];
  readonly #flags: string;
  readonly #tests = new Map<string, (character: string) => boolean>();
  steps = 0;

  constructor(pattern: RegExp) {
    this.#flags = pattern.flags.replace(/[dgmy]/g, "");
    this.#program = this.#compile(patternTree(pattern), false, []);
  }

  /** Every match, as `[start, end]`, as a global search finds them. */
  matches(text: string): [number, number][] {
    const found: [number, number][] = [];
    for (let start = 0; start <= text.length;) {
      const end = this.#run(this.#program, text, start);
      if (end !== undefined) found.push([start, end]);
      start = end === undefined || end === start ? start + 1 : end;
    }
    return found;
  }

  #run(program: readonly Step[], text: string, start: number): number | undefined {
    const pending: [number, number][] = [[0, start]];
    for (let next = pending.pop(); next; next = pending.pop()) {
      let [at, place] = next;
      for (;;) {
        const step = program[at];
        if (!step) return place;
        this.steps += 1;
        if (step.op === "split") {
          pending.push([step.second, place]);
          at = step.first;
        } else if (step.op === "jump") at = step.to;
        else if (step.op === "character") {
          const character = text[step.back ? place - 1 : place];
          if (character === undefined || !step.test(character)) break;
          place += step.back ? -1 : 1;
          at += 1;
        } else if (step.op === "look") {
          if ((this.#run(step.program, text, place) === undefined) !== step.negative) break;
          at += 1;
        } else if (this.#anchored(step.source, text, place)) at += 1;
        else break;
      }
    }
    return undefined;
  }

  #anchored(source: string, text: string, place: number): boolean {
    if (source === "^") return place === 0;
    if (source === "$") return place === text.length;
    const inWord = (at: number): boolean => /\w/.test(text[at] ?? "");
    return (inWord(place - 1) !== inWord(place)) === (source === "\\b");
  }

  #compile(node: PatternNode, back: boolean, into: Step[]): Step[] {
    if (node.kind === "character") into.push({ op: "character", test: this.#test(node.source), back });
    else if (node.kind === "anchor") into.push({ op: "anchor", source: node.source });
    else if (node.kind === "look")
      into.push({ op: "look", program: this.#compile(node.body, node.behind, []), negative: node.negative });
    else if (node.kind === "sequence")
      for (const item of back ? node.items.toReversed() : node.items) this.#compile(item, back, into);
    else if (node.kind === "choice") this.#choice(node.options, back, into);
    else if (node.kind === "repeat") this.#repeat(node, back, into);
    else throw new Error(`no ${node.kind} here`);
    return into;
  }

  #choice(options: readonly PatternNode[], back: boolean, into: Step[]): void {
    const [option, ...others] = options;
    if (!option) return;
    if (others.length === 0) return void this.#compile(option, back, into);
    const split = { op: "split" as const, first: into.length + 1, second: 0 };
    into.push(split);
    this.#compile(option, back, into);
    const jump = { op: "jump" as const, to: 0 };
    into.push(jump);
    split.second = into.length;
    this.#choice(others, back, into);
    jump.to = into.length;
  }

  /** A limit is spelled out, so that it costs what it costs. */
  #repeat(node: PatternNode & { kind: "repeat" }, back: boolean, into: Step[]): void {
    for (let count = 0; count < node.min; count += 1) this.#compile(node.body, back, into);
    const splits: (Step & { op: "split" })[] = [];
    const optional = node.max === Infinity ? 1 : Math.min(node.max - node.min, LONGEST);
    for (let count = 0; count < optional; count += 1) {
      const split = { op: "split" as const, first: into.length + 1, second: 0 };
      splits.push(split);
      into.push(split);
      this.#compile(node.body, back, into);
      if (node.max === Infinity) into.push({ op: "jump", to: into.indexOf(split) });
    }
    for (const split of splits) {
      split.second = into.length;
      if (node.lazy) [split.first, split.second] = [split.second, split.first];
    }
  }

  #test(source: string): (character: string) => boolean {
    const known = this.#tests.get(source);
    if (known) return known;
    const pattern = new RegExp(`^(?:${source})$`, this.#flags);
    const answers = new Map<string, boolean>();
    const test = (character: string): boolean => {
      const answer = answers.get(character) ?? pattern.test(character);
      answers.set(character, answer);
      return answer;
    };
    this.#tests.set(source, test);
    return test;
  }
}

/** Texts of tests are shorter than this, so that a longer limit is none. */
const LONGEST = 2500;
