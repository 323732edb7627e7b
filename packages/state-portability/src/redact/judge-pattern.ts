import { CharacterSets } from "./character-sets.js";
import { patternTree } from "./pattern-tree.js";
import type { PatternNode } from "./pattern-tree.js";

/** From so many repetitions on, a limit is none. */
const LONG = 1000;
/** So many ways to go may limited repetitions and choices have together. */
const MOST_WAYS = 10_000;

/** How the rest of a pattern goes on from some place. */
interface Rest {
  /** Characters it can begin with. */
  readonly first: bigint;
  /** True when it matches whatever comes, so that nobody ever tries another way before it. */
  readonly certain: boolean;
  /** Its work for one beginning is the length of the text to the power of this. */
  readonly power: number;
  /** How many limited ways lie in it. */
  readonly ways: number;
  /** The run that comes next, if its end is decided by the character behind it. */
  readonly run: Run | undefined;
}

/** A repetition of one character without a limit. */
interface Run {
  readonly set: bigint;
  /** What must stand between here and there, one set for each character. */
  readonly between: readonly bigint[];
  /** The power of what stands behind it. */
  readonly behind: number;
}

const END: Rest = { first: 0n, certain: true, power: 0, ways: 1, run: undefined };
/** The end of a part that something else follows. */
const OPEN_END: Rest = { ...END, certain: false };

/**
 * Says why looking for a pattern could take without end.
 *
 * Work multiplies where a pattern may go on in two ways and the next character does not decide which: a repetition
 * whose characters can also begin what follows it, a choice of two that begin alike. One such repetition without a
 * limit is fine, two one after the other are not, and one within another repetition is the worst there is.
 *
 * @returns A reason, or undefined for a pattern whose work is bounded.
 */
export function judgePattern(pattern: RegExp): string | undefined {
  try {
    const tree = patternTree(pattern);
    const judge = new Judge(new CharacterSets(pattern));
    if (judge.mayBeEmpty(tree)) return "matches an empty text";
    const { power, ways } = judge.rest(tree, END, false);
    if (power > 1) return "has two repetitions that can share a text between them in many ways; give them limits";
    return ways > MOST_WAYS ? "has too many ways to match; make its repetitions shorter" : undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}

class Judge {
  constructor(private readonly sets: CharacterSets) {}

  mayBeEmpty(node: PatternNode): boolean {
    switch (node.kind) {
      case "character":
        return false;
      case "sequence":
        return node.items.every((item) => this.mayBeEmpty(item));
      case "choice":
        return node.options.some((option) => this.mayBeEmpty(option));
      case "repeat":
        return node.min === 0 || this.mayBeEmpty(node.body);
      default:
        return true;
    }
  }

  /** What a node and everything behind it amount to; `looped` inside of a long repetition. */
  rest(node: PatternNode, after: Rest, looped: boolean): Rest {
    switch (node.kind) {
      case "character":
        return this.#character(this.sets.of(node.source), after);
      case "anchor":
        return { ...after, certain: false };
      case "back-reference":
        throw new RangeError(`refers back to what it matched (${node.source}), which cannot be bounded`);
      case "look":
        return this.#look(node, after, looped);
      case "sequence":
        return node.items.reduceRight((rest, item) => this.rest(item, rest, looped), after);
      case "choice":
        return this.#choice(node.options, after, looped);
      case "repeat":
        return this.#repeat(node, after, looped);
    }
  }

  #character(first: bigint, after: Rest): Rest {
    const { run } = after;
    return { ...after, first, certain: false, run: run && { ...run, between: [...run.between, first] } };
  }

  #look({ body }: PatternNode & { kind: "look" }, after: Rest, looped: boolean): Rest {
    const inner = this.rest(body, OPEN_END, looped);
    if (looped && inner.power > 0) throw new RangeError("looks far ahead or back within a repetition");
    return { ...after, certain: false, power: Math.max(inner.power, after.power), ways: inner.ways * after.ways };
  }

  #choice(options: readonly PatternNode[], after: Rest, looped: boolean): Rest {
    const rests = options.map((option) => this.rest(option, after, looped));
    const alike = rests.some(({ first }, index) => rests.slice(0, index).some((other) => (other.first & first) !== 0n));
    if (alike && looped) throw new RangeError("repeats a choice of two that can begin alike");
    return {
      first: rests.reduce((all, { first }) => all | first, 0n),
      certain: rests.some(({ certain }) => certain),
      power: Math.max(...rests.map(({ power }) => power)),
      ways: alike ? rests.reduce((sum, { ways }) => sum + ways, 0) : Math.max(...rests.map(({ ways }) => ways)),
      run: undefined,
    };
  }

  #repeat({ body, min, max }: PatternNode & { kind: "repeat" }, after: Rest, looped: boolean): Rest {
    if (max > 1 && this.mayBeEmpty(body)) throw new RangeError("repeats what may be empty");
    const again = this.rest(body, OPEN_END, false).first;
    const inner = this.rest(body, { ...after, first: after.first | again }, looped || max > 1);
    const open = min !== max && !after.certain && (again & after.first) !== 0n;
    if (open && looped) throw new RangeError("repeats a repetition that can end in many ways");
    const long = max >= LONG;
    const ways = open && !long ? after.ways * (max - min + 1) : after.ways;
    return {
      first: min === 0 || this.mayBeEmpty(body) ? inner.first | after.first : inner.first,
      certain: after.certain && min === 0,
      power: long && !after.certain ? powerOfLong(open, after) : Math.max(inner.power, after.power),
      ways: Math.max(ways, inner.ways),
      run: this.#run(body, { long: long && !open && !after.certain, min }, after),
    };
  }

  #run(body: PatternNode, { long, min }: { long: boolean; min: number }, after: Rest): Run | undefined {
    const only = body.kind === "sequence" && body.items.length === 1 ? body.items[0] : body;
    if (only?.kind !== "character") return undefined;
    const set = this.sets.of(only.source);
    if (long) return { set, between: [], behind: after.power };
    return after.run && min > 0 ? { ...after.run, between: [...after.run.between, set] } : after.run;
  }
}

/** Runs that something keeps apart share no text, so that trying each of them costs no more than one of them. */
function powerOfLong(open: boolean, after: Rest): number {
  if (!open) return Math.max(1, after.power);
  const { run, power } = after;
  const apart = run !== undefined && run.between.some((set) => (set & run.set) === 0n);
  return 1 + (apart && power === Math.max(1, run.behind) ? run.behind : power);
}
