import type { FlowSchemaSpec, PolicyRulesWithSubjects } from '../../types/flowcontrol-v1beta2-flow-schema.ts';
import type { PriorityLevelConfigurationSpec } from '../../types/flowcontrol-v1beta2.ts';
import type { Vocabulary } from '../../vocabulary/vocabulary.ts';

/**
 * A PriorityLevelConfiguration or FlowSchema that the server creates; `fixed` is true if its spec is
 * immutable.
 */
export interface Suggested<S> {
  readonly name: string;
  readonly fixed?: boolean;
  readonly spec: S;
}

const limited = (
  shares: number,
  queuing?: { readonly queues: number; readonly handSize: number; readonly queueLengthLimit: number },
): PriorityLevelConfigurationSpec => ({
  type: 'Limited',
  limited: {
    assuredConcurrencyShares: shares,
    limitResponse: queuing ? { type: 'Queue', queuing: { ...queuing } } : { type: 'Reject' },
  },
});

const queues = (count: number, handSize: number) => ({ queues: count, handSize, queueLengthLimit: 50 });

/**
 * Default priority levels of
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/apis/flowcontrol/bootstrap/default.go
 */
export const priorityLevels: readonly Suggested<PriorityLevelConfigurationSpec>[] = [
  { name: 'exempt', fixed: true, spec: { type: 'Exempt' } },
  { name: 'catch-all', fixed: true, spec: limited(5) },
  { name: 'system', spec: limited(30, queues(64, 6)) },
  { name: 'node-high', spec: limited(40, queues(64, 6)) },
  { name: 'leader-election', spec: limited(10, queues(16, 4)) },
  { name: 'workload-high', spec: limited(40, queues(128, 6)) },
  { name: 'workload-low', spec: limited(100, queues(128, 6)) },
  { name: 'global-default', spec: limited(20, queues(128, 6)) },
];

type Subjects = PolicyRulesWithSubjects['subjects'];
type Rules = Omit<PolicyRulesWithSubjects, 'subjects'>;
type Distinguisher = 'ByUser' | 'ByNamespace';

const group = (name: string): Subjects[number] => ({ kind: 'Group', group: { name } });
const user = (name: string): Subjects[number] => ({ kind: 'User', user: { name } });
const account = (namespace: string, name: string): Subjects[number] => ({
  kind: 'ServiceAccount',
  serviceAccount: { namespace, name },
});

const everything = (): Rules => ({
  resourceRules: [
    { verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] },
  ],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
});

const schema = (
  priorityLevel: string,
  matchingPrecedence: number,
  distinguisher: Distinguisher | undefined,
  ...rules: PolicyRulesWithSubjects[]
): FlowSchemaSpec => ({
  priorityLevelConfiguration: { name: priorityLevel },
  matchingPrecedence,
  ...(distinguisher === undefined ? {} : { distinguisherMethod: { type: distinguisher } }),
  rules,
});

const EVERYBODY = [group('system:unauthenticated'), group('system:authenticated')];

/** Immutable FlowSchemas, which have the same names under every vocabulary. */
export const fixedFlowSchemas: readonly Suggested<FlowSchemaSpec>[] = [
  {
    name: 'exempt',
    fixed: true,
    spec: schema('exempt', 1, undefined, { subjects: [group('system:masters')], ...everything() }),
  },
  {
    name: 'catch-all',
    fixed: true,
    spec: schema('catch-all', 10_000, 'ByUser', { subjects: EVERYBODY, ...everything() }),
  },
];

const all = (
  name: string,
  level: string,
  precedence: number,
  by: Distinguisher,
  ...subjects: Subjects
): Suggested<FlowSchemaSpec> => ({
  name,
  spec: schema(level, precedence, by, { subjects, ...everything() }),
});

/** Returns rules for the locks of leader election, in one namespace or in all namespaces (`*`). */
function locks(namespace: string, v: Vocabulary): Rules {
  const verbs = ['get', 'create', 'update'];
  return {
    resourceRules: [
      { verbs, apiGroups: [''], resources: ['endpoints', 'configmaps'], namespaces: [namespace] },
      { verbs, apiGroups: [v.group('coordination')], resources: ['leases'], namespaces: ['*'] },
    ],
  };
}

/** Returns rules for the heartbeats of a node: its Node object and its Lease. */
const heartbeats = (v: Vocabulary): Rules => ({
  resourceRules: [
    {
      verbs: ['*'],
      apiGroups: [''],
      resources: ['nodes', 'nodes/status'],
      clusterScope: true,
      namespaces: ['*'],
    },
    { verbs: ['*'], apiGroups: [v.group('coordination')], resources: ['leases'], namespaces: ['*'] },
  ],
});

const probes: Suggested<FlowSchemaSpec> = {
  name: 'probes',
  spec: schema('exempt', 2, undefined, {
    subjects: EVERYBODY,
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
};

/**
 * Returns the default FlowSchemas of
 * https://github.com/kubernetes/kubernetes/blob/v1.24.0/pkg/apis/flowcontrol/bootstrap/default.go.
 * Immutable FlowSchemas are first.
 */
export function flowSchemas(v: Vocabulary): readonly Suggested<FlowSchemaSpec>[] {
  const [manager, scheduler] = [user(v.component('controller-manager')), user(v.component('scheduler'))];
  const system = account(v.namespaces.system, '*');
  const nodes = group('system:nodes');
  const leaders = (precedence: number, namespace: string, ...subjects: Subjects): FlowSchemaSpec =>
    schema('leader-election', precedence, 'ByUser', { subjects, ...locks(namespace, v) });
  return [
    ...fixedFlowSchemas,
    probes,
    {
      name: 'system-leader-election',
      spec: leaders(100, v.namespaces.system, manager, scheduler, system),
    },
    { name: 'workload-leader-election', spec: leaders(200, '*', system) },
    {
      name: 'system-node-high',
      spec: schema('node-high', 400, 'ByUser', { subjects: [nodes], ...heartbeats(v) }),
    },
    all('system-nodes', 'system', 500, 'ByUser', nodes),
    all(`${v.short}-controller-manager`, 'workload-high', 800, 'ByNamespace', manager),
    all(`${v.short}-scheduler`, 'workload-high', 800, 'ByNamespace', scheduler),
    all(`${v.short}-system-service-accounts`, 'workload-high', 900, 'ByNamespace', system),
    all('service-accounts', 'workload-low', 9000, 'ByUser', group('system:serviceaccounts')),
    all('global-default', 'global-default', 9900, 'ByUser', ...EVERYBODY),
  ];
}
