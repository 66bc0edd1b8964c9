import {
  chaosCoverageFlags,
  chaosExploreFlags,
  chaosMuseumFlags,
  chaosMutantsFlags,
} from '../../cli/chaos/explore-flags.ts';
import { chaosReplayFlags, chaosRunFlags } from '../../cli/chaos/run-flags.ts';
import { chaosLiveFlags } from '../../cli/chaos/live-flags.ts';
import { chaosProxyFlags } from '../../cli/chaos/proxy-flags.ts';
import { canIFlags, certificateFlags } from '../../cli/ctl/access.ts';
import { apiResourcesFlags } from '../../cli/ctl/api-resources.ts';
import { connectionFlags } from '../../cli/ctl/connection.ts';
import { getFlags } from '../../cli/ctl/get.ts';
import { applyFlags, createFlags, deleteFlags, patchFlags } from '../../cli/ctl/write.ts';
import {
  apiServerCommandFlags,
  controllerManagerFlags,
  dashboardFlags,
  machinesFlags,
  upFlags,
} from '../../cli/flags/flag-tables.ts';
import type { Flag, FlagTable } from '../../cli/flags/flags.ts';
import { cell, code, page, table } from './markdown.ts';

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
  ['Journal and dashboard', /^(?:journal-|dashboard)/],
  ['Shared queue', /^redis-/],
  ['Leader election', /^leader-elect/],
  ['Connection to the API server', /^(?:kubeconfig|master|orch-api-)/],
  ['Keys and certificates', /^(?:cluster-signing|root-ca|service-account-private)/],
];

const defaultOf = ({ fallback, shown }: Flag<unknown>): string =>
  shown ?? (Array.isArray(fallback) ? fallback.join(',') : String(fallback));

const flagTable = (flags: FlagTable): string =>
  table(
    ['flag', 'default', 'meaning'],
    Object.entries(flags).map(([name, flag]) => [code(`--${name}`), code(defaultOf(flag)), cell(flag.help)]),
  );

/** Returns a section for each subject. Throws for a flag without one. */
function bySubject(flags: FlagTable): readonly string[] {
  const groups = new Map<string, Record<string, Flag<unknown>>>(SUBJECTS.map(([subject]) => [subject, {}]));
  for (const [name, flag] of Object.entries(flags)) {
    const subject = SUBJECTS.find(([, names]) => names.test(name))?.[0];
    const group = subject === undefined ? undefined : groups.get(subject);
    if (!group) throw new Error(`--${name} has no subject in ${import.meta.filename}`);
    group[name] = flag;
  }
  return [...groups]
    .filter(([, group]) => Object.keys(group).length > 0)
    .flatMap(([subject, group]) => [`## ${subject}`, flagTable(group)]);
}

const sections = (commands: Readonly<Record<string, FlagTable>>): readonly string[] =>
  Object.entries(commands).flatMap(([name, flags]) => [`## ${name}`, flagTable(flags)]);

const FORM =
  'Write a flag as `--name value` or `--name=value`; a switch alone means true. Repeat a list flag or separate its items by commas. A flag with the product name is also accepted under its upstream name.';

export const apiServerFlagsPage = (): string =>
  page(
    'Flags of the API server',
    `\`orch apiserver\` has these flags. \`orch up\` has them too, with [those of the controllers](flags-controller-manager.md). ${FORM}`,
    ...bySubject(apiServerCommandFlags),
  );

export const controllerManagerFlagsPage = (): string => {
  const together = Object.fromEntries(
    Object.entries(upFlags).filter(
      ([name]) => !Object.hasOwn(apiServerCommandFlags, name) && !Object.hasOwn(controllerManagerFlags, name),
    ),
  );
  return page(
    'Flags of the controller manager',
    `\`orch controller-manager\` has these flags. \`orch up\` has them too, except those about leader election and the connection. ${FORM}`,
    ...bySubject(controllerManagerFlags),
    '## Only in orch up',
    flagTable(together),
  );
};

export const toolFlagsPage = (): string =>
  page(
    'Flags of the tools',
    `Flags of \`orch dashboard\`, \`orch machines\`, \`orch chaos\` and \`orchctl\`. ${FORM}`,
    ...sections({
      'orch dashboard': dashboardFlags,
      'orch machines': machinesFlags,
      'orch chaos run': chaosRunFlags,
      'orch chaos replay': chaosReplayFlags,
      'orch chaos explore': chaosExploreFlags,
      'orch chaos mutants': chaosMutantsFlags,
      'orch chaos coverage': chaosCoverageFlags,
      'orch chaos museum': chaosMuseumFlags,
      'orch chaos live': chaosLiveFlags,
      'orch chaos proxy': chaosProxyFlags,
      'every orchctl command': connectionFlags,
      'orchctl get': getFlags,
      'orchctl apply': applyFlags,
      'orchctl create': createFlags,
      'orchctl patch': patchFlags,
      'orchctl delete': deleteFlags,
      'orchctl api-resources': apiResourcesFlags,
      'orchctl auth can-i': canIFlags,
      'orchctl certificate approve, deny': certificateFlags,
    }),
  );
