import { objectOf, textOf } from "../json.js";
import type { MessageTree } from "../message-tree.js";
import type { ClaudeLine } from "./claude-line.js";
import { blocksOf, messageOf } from "./claude-line.js";

/** The work of one subagent. */
export interface Sidechain {
  /** Told apart within the session: the agent's id, or the first line's in files that name none. */
  readonly key: string;
  readonly lines: readonly ClaudeLine[];
}

/** Groups the lines of subagents: newer files name the agent, older ones only start a chain of their own. */
export function sidechains(lines: readonly ClaudeLine[], tree: MessageTree<ClaudeLine>): readonly Sidechain[] {
  const chains = new Map<string, ClaudeLine[]>();
  const roots = new Map<string, string>();
  // A parent stands above its children, so its root is known.
  for (const line of lines.filter(({ sidechain }) => sidechain)) {
    const above = tree.nearest(line.parent, ({ id }) => roots.has(id));
    const root = (above && roots.get(above.id)) ?? line.id;
    roots.set(line.id, root);
    const key = textOf(line.json["agentId"]) ?? root;
    const chain = chains.get(key);
    if (chain) chain.push(line);
    else chains.set(key, [line]);
  }
  return [...chains].map(([key, group]) => ({ key, lines: group }));
}

/**
 * The reply that set a subagent to work: its result names the agent, or its call holds the very text the subagent
 * begins with.
 */
export function delegatedBy({ key, lines }: Sidechain, main: readonly ClaudeLine[]): ClaudeLine | undefined {
  const result = main.find(({ json }) => objectOf(json["toolUseResult"])["agentId"] === key);
  const call = result && callIdOf(result);
  const prompt = lines[0] && promptOf(lines[0]);
  return main.find((line) => {
    if (line.type !== "assistant") return false;
    return blocksOf(messageOf(line) ?? {}).some((block) => {
      if (block["type"] !== "tool_use") return false;
      if (call !== undefined) return block["id"] === call;
      return prompt !== undefined && objectOf(block["input"])["prompt"] === prompt;
    });
  });
}

function callIdOf(line: ClaudeLine): string | undefined {
  const results = blocksOf(messageOf(line) ?? {}).filter((block) => block["type"] === "tool_result");
  return textOf(results[0]?.["tool_use_id"]);
}

function promptOf(line: ClaudeLine): string | undefined {
  return textOf(blocksOf(messageOf(line) ?? {})[0]?.["text"]);
}
