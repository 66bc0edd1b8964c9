import { actorNamesOf } from '../../runtime/controller/define.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import {
  type Mutation,
  withCachedReads,
  withClockOffBy,
  withErrorSwallowed,
  withFailureForgotten,
  withOutput,
  withRefusalsIgnored,
  withRequeueDropped,
  withRequeueLater,
  withWakeUpLost,
  withWritesSwapped,
  withoutPreconditions,
} from './operators.ts';

/** Bug patterns of Sieve (OSDI 2022), which found 46 bugs in ten operators. */
export type SievePattern = 'intermediate' | 'stale' | 'unobserved' | 'indirect';

/** A controller with one defect. */
export interface Mutant {
  /** Controller and defect: `cronjob/no-preconditions`. */
  readonly name: string;
  readonly controller: string;
  readonly says: string;
  readonly pattern: SievePattern;
  readonly mutate: Mutation;
  /** Reason why its different behaviour is not wrong. */
  readonly harmless?: string;
}

interface Operator {
  readonly name: string;
  readonly says: string;
  readonly pattern: SievePattern;
  readonly mutate: Mutation;
  readonly harmless?: string;
}

const HOUR = 3_600_000;

/** Mutations of every controller. */
const everywhere: readonly Operator[] = [
  {
    name: 'no-preconditions',
    says: 'writes and deletions carry neither uid nor version',
    pattern: 'stale',
    mutate: withoutPreconditions('uid', 'resourceVersion'),
  },
  {
    name: 'no-version',
    says: 'writes and deletions do not carry the version they were decided on',
    pattern: 'stale',
    mutate: withoutPreconditions('resourceVersion'),
  },
  {
    name: 'name-for-uid',
    says: 'writes and deletions carry a name without uid',
    pattern: 'stale',
    mutate: withoutPreconditions('uid'),
    harmless: 'a version belongs to only one object, so it implies the uid',
  },
  {
    name: 'cached-reads',
    says: 'live reads are served from the cache',
    pattern: 'stale',
    mutate: withCachedReads,
  },
  {
    name: 'failure-forgotten',
    says: 'a failed reconcile is not retried',
    pattern: 'intermediate',
    mutate: withFailureForgotten,
  },
  {
    name: '409-ignored',
    says: 'a conflict counts as success',
    pattern: 'indirect',
    mutate: withRefusalsIgnored(409),
  },
  {
    name: '404-ignored',
    says: 'a write to a missing object counts as success',
    pattern: 'indirect',
    mutate: withRefusalsIgnored(404),
    harmless: 'a missing object needs no write, and a missing namespace needs no object',
  },
  {
    name: 'clock-ahead',
    says: 'all clocks read one hour ahead',
    pattern: 'indirect',
    mutate: withClockOffBy(HOUR),
  },
  {
    name: 'clock-behind',
    says: 'all clocks read one hour behind',
    pattern: 'indirect',
    mutate: withClockOffBy(-HOUR),
  },
  {
    name: 'requeue-dropped',
    says: 'requests to requeue later are dropped',
    pattern: 'unobserved',
    mutate: withRequeueDropped,
  },
  {
    name: 'deadline-late',
    says: 'requests to requeue later are delayed by one hour',
    pattern: 'indirect',
    mutate: withRequeueLater(HOUR),
  },
];

/**
 * Outputs that replace a swallowed error, by effect, or by controller and effect where effects share a name.
 */
const swallowedOutputs: { readonly [effect: string]: unknown } = {
  review: true,
  deleteObject: 'deleted',
  confirm: null,
  sweep: { endsForMs: 0, undiscovered: [], failures: [], remaining: {}, finalizers: {} },
  count: { used: {}, recent: {}, settlesInMs: undefined },
  'legacy-service-account-token-cleaner/confirm': { token: null, verdict: { verdict: 'keep' } },
};

/** Watched kinds by controller. */
const watched: { readonly [controller: string]: readonly string[] } = {
  bootstrapsigner: ['configmaps', 'secrets'],
  'clusterrole-aggregation': ['clusterroles'],
  cronjob: ['cronjobs', 'jobs'],
  csrapproving: ['certificatesigningrequests'],
  csrcleaner: ['certificatesigningrequests'],
  csrsigning: ['certificatesigningrequests'],
  garbagecollector: ['configmaps', 'secrets'],
  job: ['jobs', 'pods'],
  'legacy-service-account-token-cleaner': ['configmaps', 'pods', 'secrets', 'serviceaccounts'],
  namespace: ['namespaces'],
  'pv-protection': ['persistentvolumes'],
  'pvc-protection': ['persistentvolumeclaims', 'pods'],
  resourcequota: ['resourcequotas'],
  'root-ca-cert-publisher': ['configmaps', 'namespaces'],
  serviceaccount: ['namespaces', 'serviceaccounts'],
  'serviceaccount-token': ['secrets', 'serviceaccounts'],
  tokencleaner: ['secrets'],
  ttlafterfinished: ['jobs'],
};

/** Mutations of single controllers. */
const byHand: { readonly [controller: string]: readonly Operator[] } = {
  cronjob: [
    {
      name: 'create-before-claim',
      says: 'the Job is created before its due time is claimed',
      pattern: 'intermediate',
      mutate: withWritesSwapped('recording', 'creating'),
    },
  ],
  garbagecollector: [
    {
      name: 'finalizer-before-orphans',
      says: 'the finalizer is removed before the dependents are released',
      pattern: 'intermediate',
      mutate: withWritesSwapped('orphaning', 'removingFinalizer'),
    },
  ],
  namespace: [
    {
      name: 'finalize-before-report',
      says: 'the namespace is finalized before its remaining content is checked',
      pattern: 'intermediate',
      mutate: withWritesSwapped('sweeping', 'finalizing'),
    },
    {
      name: 'discovery-failure-ignored',
      says: 'a group that cannot be discovered counts as empty',
      pattern: 'indirect',
      mutate: withOutput('sweep', (sweep: object) => ({ ...sweep, undiscovered: [], failures: [] })),
    },
  ],
};

const READ_AGAIN = 'if the API shows less than the caches, it is read again within a minute';
const REQUEUED_REGULARLY = 'every token is requeued within 10 hours, and its lifetime is counted in days';

/** Mutants that behave differently without a defect. */
const harmless: { readonly [name: string]: string } = {
  'serviceaccount/409-ignored': 'created objects are checked again after a while',
  'serviceaccount/create-error-swallowed': 'created objects are checked again after a while',
  'serviceaccount/clock-ahead': 'does not depend on time',
  'serviceaccount/clock-behind': 'does not depend on time',
  'serviceaccount/serviceaccounts-added-missed': 'a new account requires no work',
  'serviceaccount/serviceaccounts-changed-missed':
    'a changed account still exists; only a deleted one requires work',
  'serviceaccount/namespaces-changed-missed': 'a namespace becomes active only when it is created',
  'namespace/report-error-swallowed': 'the conditions about remaining content are informational',
  'job/adopt-error-swallowed': 'pods are counted again after an adoption, whether it succeeded or not',
  'ttlafterfinished/cached-reads':
    'a deletion carries the version, so one that is based on stale state is refused',
  'csrapproving/certificatesigningrequests-changed-missed':
    'a request is immutable, and after another decision nothing is left to do',
  'namespace/clock-ahead': 'the time is only written into informational conditions',
  'namespace/clock-behind': 'the time is only written into informational conditions',
  'root-ca-cert-publisher/namespaces-changed-missed': 'a namespace becomes active only when it is created',
  'root-ca-cert-publisher/create-error-swallowed': 'created objects are checked again after a while',
  'root-ca-cert-publisher/configmaps-added-missed':
    'a foreign ConfigMap follows a new namespace or a deletion, which enqueue the key; the refused creation is retried',
  'pv-protection/requeue-dropped': 'a released volume has changed, which enqueues it',
  'pv-protection/deadline-late': 'a released volume has changed, which enqueues it',
  'pv-protection/cached-reads':
    'the release carries the version, which determines whether the volume is bound',
  'pv-protection/isUsed-error-swallowed':
    'the release carries the version, which determines whether the volume is bound',
  'pvc-protection/pods-added-missed': 'a new pod protects claims and releases none',
  'legacy-service-account-token-cleaner/pods-added-missed': 'a new pod protects tokens and releases none',
  'legacy-service-account-token-cleaner/pods-changed-missed': 'the Secrets of a pod never change',
  'legacy-service-account-token-cleaner/secrets-added-missed': REQUEUED_REGULARLY,
  'legacy-service-account-token-cleaner/secrets-changed-missed': REQUEUED_REGULARLY,
  'legacy-service-account-token-cleaner/serviceaccounts-added-missed': REQUEUED_REGULARLY,
  'bootstrapsigner/cached-reads': READ_AGAIN,
  'bootstrapsigner/confirm-error-swallowed': READ_AGAIN,
  'csrcleaner/cached-reads': 'a deletion carries the version, so one that is based on stale state is refused',
};

/** Returns all mutants of a controller. */
export function mutantsOf(definition: ControllerDefinition): readonly Mutant[] {
  const { name: controller, machine } = definition;
  const swallowed = actorNamesOf(machine)
    .filter((effect) => effect !== 'observe')
    .map((effect): Operator => ({
      name: `${effect}-error-swallowed`,
      says: `a failure of ${effect} counts as success`,
      pattern: 'intermediate',
      mutate: withErrorSwallowed(
        effect,
        swallowedOutputs[`${controller}/${effect}`] ?? swallowedOutputs[effect],
      ),
    }));
  const missing = (watched[controller] ?? []).flatMap((plural) =>
    (['added', 'changed', 'deleted'] as const).map((which): Operator => ({
      name: `${plural}-${which}-missed`,
      says: `${plural} that are ${which} do not enqueue keys`,
      pattern: 'unobserved',
      mutate: withWakeUpLost(plural, which),
      ...(which === 'deleted'
        ? { harmless: 'a deletion of this kind requires no work of this controller' }
        : {}),
    })),
  );
  return [...everywhere, ...swallowed, ...missing, ...(byHand[controller] ?? [])].map(({ name, ...rest }) => {
    const full = `${controller}/${name}`;
    const why = harmless[full];
    return { ...rest, ...(why === undefined ? {} : { harmless: why }), controller, name: full };
  });
}

/** Returns the mutant with a name such as `cronjob/no-version` or `no-version`. */
export const mutantNamed = (definition: ControllerDefinition, name: string): Mutant | undefined =>
  name === ''
    ? undefined
    : mutantsOf(definition).find((each) => each.name === name || each.name.endsWith(`/${name}`));
