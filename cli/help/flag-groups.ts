import type { Flag, FlagTable } from '../flags/flags.ts';

/** Subjects of flags, each with the names that belong to it. The first subject that matches counts. */
const SUBJECTS: readonly (readonly [subject: string, names: RegExp])[] = [
  ['Every daemon', /^(?:data-dir|vocabulary|feature-gates|v)$/],
  ['Fault injection', /^chaos-/],
  ['Audit log', /^audit-log-/],
  ['Audit', /^audit-/],
  ['Storage', /^(?:etcd-|encryption-|store-|event-ttl)/],
  ['Network', /^(?:bind-address|secure-port|http2|advertise-address|tls-|healthz-)/],
  ['Admission', /admission|^default-.*-toleration|^allow-privileged/],
  ['Authorization', /^authorization-/],
  ['Service account tokens', /^(?:service-account-(?!private)|api-audiences)/],
  ['OpenID Connect', /^oidc-/],
  ['Authentication', /^(?:anonymous-|client-ca|token-auth|enable-bootstrap|authentication-|requestheader-)/],
  ['Limits', /inflight|priority|timeout/],
  ['Node agents, proxies and aggregated servers', /^(?:nodeagent-|allow-loopback|proxy-client)/],
  ['Served APIs and metrics', /^(?:runtime-config|show-hidden|service-)(?!account)/],
  ['Controllers', /^(?:controllers$|concurrent-|legacy-service|resource-quota)/],
  ['Journal and dashboard', /^(?:journal-|dashboard|otlp-)/],
  ['Shared queue', /^redis-/],
  ['Leader election', /^leader-elect/],
  ['Connection to the API server', /^(?:kubeconfig|master|orch-api-)/],
  ['Keys and certificates', /^(?:cluster-signing|root-ca|service-account-private)/],
];

/** Flags about one subject. */
export interface FlagGroup {
  readonly subject: string;
  /** Name in `--help=NAME`: the first noun of the subject in lower case, with hyphens. */
  readonly name: string;
  readonly flags: FlagTable;
}

/** Returns the flags of a daemon by subject. Throws for a flag without one. */
export function groupsOf(flags: FlagTable): readonly FlagGroup[] {
  const groups = new Map<string, Record<string, Flag<unknown>>>(SUBJECTS.map(([subject]) => [subject, {}]));
  for (const [name, flag] of Object.entries(flags)) {
    const subject = SUBJECTS.find(([, names]) => names.test(name))?.[0];
    const group = subject === undefined ? undefined : groups.get(subject);
    if (!group) throw new Error(`--${name} has no subject in ${import.meta.filename}`);
    group[name] = flag;
  }
  return [...groups]
    .filter(([, group]) => Object.keys(group).length > 0)
    .map(([subject, group]) => ({
      subject,
      name: subject
        .toLowerCase()
        .replace(/(?:,| and ).*/, '')
        .replace(/ /g, '-'),
      flags: group,
    }));
}
