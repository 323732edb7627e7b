import type { TestRandom } from "@hermes/testkit";
import { expect } from "vitest";
import type { Conversation } from "./conversations.js";
import type { Answer, SimulatedGateway } from "./simulated-gateway.js";

/** What a conversation has to do first after a kill: its program did not get the answer and asks again. */
type Retry = (gateway: SimulatedGateway) => Promise<unknown>;

/** Talk of many peers at once, over gateways that come and go. */
export class Simulation {
  readonly #random: TestRandom;
  readonly #waiting: Conversation[];
  readonly #met: Conversation[] = [];
  readonly #retries = new Map<Conversation, Retry>();
  /** What happened, by its name. */
  readonly counts: Record<string, number> = {};

  constructor(random: TestRandom, conversations: readonly Conversation[]) {
    this.#random = random;
    this.#waiting = [...conversations];
  }

  /** Peers do things, `width` at a time, until `steps` of them have been done or the gateway is gone. */
  async run(gateway: SimulatedGateway, steps: number, width: number, kill: boolean): Promise<void> {
    let left = steps;
    let killed: Promise<void> | undefined;
    const lane = async (): Promise<void> => {
      while (left > 0) {
        left -= 1;
        await this.#step(gateway);
      }
      // The others are in the middle of something.
      if (kill) killed ??= gateway.kill();
    };
    await Promise.all(Array.from({ length: width }, lane));
    await killed;
  }

  /** Whoever lost an answer asks again. */
  async settle(gateway: SimulatedGateway): Promise<void> {
    const retries = [...this.#retries.values()];
    this.#retries.clear();
    await Promise.all(retries.map((retry) => retry(gateway)));
  }

  /** Everybody who was met. */
  get met(): readonly Conversation[] {
    return this.#met;
  }

  /** Says something in a conversation. @returns What the gateway answered. */
  async say(gateway: SimulatedGateway, conversation: Conversation): Promise<Answer> {
    const n = conversation.said++;
    const text = conversation.prefix + String(n);
    const source = { ...this.#random.pick(conversation.sources), messageId: `m${String(n)}` };
    const deliver = async (to: SimulatedGateway): Promise<Answer> => {
      const answer = await to.ask("say", { source, text });
      const epoch = conversation.epochs.at(-1)!;
      if (answer === "lost") {
        this.#count("lost messages");
        if (this.#random.next() < 0.5) this.#retries.set(conversation, (next) => deliver(next));
        else epoch.maybe.add(text);
        return answer;
      }
      expect(answer, text).toMatchObject({ durable: true });
      conversation.sessionKey ??= String(answer["sessionKey"]);
      expect(answer["sessionKey"], text).toBe(conversation.sessionKey);
      if (answer["existing"] === true) this.#count("redelivered");
      epoch.acked.push(text);
      // A platform that is not sure delivers again.
      if (to === gateway && this.#random.next() < 0.05) {
        const again = await to.ask("say", { source, text });
        if (again !== "lost") expect(again, text).toMatchObject({ existing: true });
      }
      return answer;
    };
    return deliver(gateway);
  }

  async #step(gateway: SimulatedGateway): Promise<void> {
    const conversation = this.#choose();
    if (!conversation) return;
    conversation.busy = true;
    const chance = this.#random.next();
    if (conversation.said === 0 || chance < 0.82) await this.say(gateway, conversation);
    else if (chance < 0.88) await this.#reset(gateway, conversation);
    else await this.#disturb(gateway, conversation, chance < 0.94 ? "compact" : "accident");
    conversation.busy = false;
  }

  /** Somebody new, or somebody who was here before and has nothing to ask again. */
  #choose(): Conversation | undefined {
    if (this.#waiting.length > 0 && this.#random.next() < 0.4) {
      const conversation = this.#waiting.pop()!;
      this.#met.push(conversation);
      return conversation;
    }
    const free = this.#met.filter((each) => !each.busy && !this.#retries.has(each));
    return free.length === 0 ? undefined : this.#random.pick(free);
  }

  /** A reset that got no answer is asked for again: it may have happened, and nothing was said since. */
  async #reset(gateway: SimulatedGateway, conversation: Conversation): Promise<void> {
    const answer = await gateway.ask("reset", { source: conversation.sources[0] });
    if (answer === "lost") {
      this.#count("lost resets");
      this.#retries.set(conversation, (next) => this.#reset(next, conversation));
      return;
    }
    expect(answer).toHaveProperty("sessionId");
    this.#count("resets");
    conversation.epochs.push({ acked: [], maybe: new Set() });
  }

  async #disturb(gateway: SimulatedGateway, { sources }: Conversation, op: "compact" | "accident"): Promise<void> {
    const answer = await gateway.ask(op, { source: sources[0] });
    if (answer === "lost") return;
    expect(answer).not.toHaveProperty("error");
    this.#count(op);
  }

  #count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }
}
