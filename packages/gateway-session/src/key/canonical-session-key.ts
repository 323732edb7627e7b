/** Agent, namespace, platform and chat type, each as it is or escaped. */
const FIXED_PART = /^(agent)(:(?::[^:]+|[^:]+):)(:?[^:]+:)(:?[^:]+)(?=:|$)/i;

/**
 * The one spelling of a key: agent, platform and chat type in lower case, the profile and the ids byte by byte. What is
 * no such key is kept as it is.
 *
 * Source of the rule: GWS-01 and field case P19.
 */
export function canonicalSessionKey(key: string): string {
  return key.replace(FIXED_PART, (_all, agent: string, namespace: string, platform: string, chatType: string) => {
    return agent.toLowerCase() + namespace + platform.toLowerCase() + chatType.toLowerCase();
  });
}
