/** Prefixes of flag names: upstream's, and those used here. */
const PREFIXES = [
  ['kube-api-', 'orch-api-'],
  ['kubelet-', 'nodeagent-'],
] as const;

/** Translates a flag name: `kubelet-client-key` becomes `nodeagent-client-key`; others stay. */
export function ownFlagName(name: string): string {
  for (const [theirs, ours] of PREFIXES)
    if (name.startsWith(theirs)) return `${ours}${name.slice(theirs.length)}`;
  return name;
}
