/** What names of flags begin with in the system whose clients are spoken to, and what they begin with here. */
const PREFIXES = [
  ['kube-api-', 'orch-api-'],
  ['kubelet-', 'nodeagent-'],
] as const;

/** A flag's name here: `kubelet-client-key` is `nodeagent-client-key`; every other one is its own. */
export function ownFlagName(name: string): string {
  for (const [theirs, ours] of PREFIXES)
    if (name.startsWith(theirs)) return `${ours}${name.slice(theirs.length)}`;
  return name;
}
