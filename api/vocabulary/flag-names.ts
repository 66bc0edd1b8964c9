/** Prefixes of flag names: upstream's prefix and the prefix that replaces it. */
const PREFIXES = [
  ['kube-api-', 'orch-api-'],
  ['kubelet-', 'nodeagent-'],
] as const;

/**
 * Translates a flag name: `kubelet-client-key` becomes `nodeagent-client-key`. A name without such a prefix
 * is returned unchanged.
 */
export function ownFlagName(name: string): string {
  for (const [theirs, ours] of PREFIXES)
    if (name.startsWith(theirs)) return `${ours}${name.slice(theirs.length)}`;
  return name;
}
