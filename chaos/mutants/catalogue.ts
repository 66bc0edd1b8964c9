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

/** The kinds of bugs that Sieve (OSDI 2022) found in 46 places of ten operators. */
export type SievePattern = 'intermediate' | 'stale' | 'unobserved' | 'indirect';

/** A controller that is wrong in one way. */
export interface Mutant {
  /** Controller and what is wrong with it: `cronjob/no-preconditions`. */
  readonly name: string;
  readonly controller: string;
  readonly says: string;
  readonly pattern: SievePattern;
  readonly mutate: Mutation;
  /** Why what it does otherwise is not wrong. */
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

/** What is done to every controller. */
const everywhere: readonly Operator[] = [
  {
    name: 'no-preconditions',
    says: 'writes and deletions name neither object nor version',
    pattern: 'stale',
    mutate: withoutPreconditions('uid', 'resourceVersion'),
  },
  {
    name: 'no-version',
    says: 'writes and deletions do not name the version they were decided on',
    pattern: 'stale',
    mutate: withoutPreconditions('resourceVersion'),
  },
  {
    name: 'name-for-uid',
    says: 'writes and deletions name an object, not which of that name',
    pattern: 'stale',
    mutate: withoutPreconditions('uid'),
    harmless: 'where the version is named, it is one of that object alone',
  },
  {
    name: 'cached-reads',
    says: 'what is to be read from the API is read from the cache',
    pattern: 'stale',
    mutate: withCachedReads,
  },
  {
    name: 'failure-forgotten',
    says: 'a pass that has failed is not tried again',
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
    says: 'an object that is not there counts as written',
    pattern: 'indirect',
    mutate: withRefusalsIgnored(404),
    harmless: 'what is not there needs no write, and a namespace that is not there no object',
  },
  {
    name: 'clock-ahead',
    says: 'all times are read an hour too late',
    pattern: 'indirect',
    mutate: withClockOffBy(HOUR),
  },
  {
    name: 'clock-behind',
    says: 'all times are read an hour too early',
    pattern: 'indirect',
    mutate: withClockOffBy(-HOUR),
  },
  {
    name: 'requeue-dropped',
    says: 'what is to be looked at later is not',
    pattern: 'unobserved',
    mutate: withRequeueDropped,
  },
  {
    name: 'deadline-late',
    says: 'what is to be looked at later is looked at an hour after that',
    pattern: 'indirect',
    mutate: withRequeueLater(HOUR),
  },
];

/** What a swallowed error makes of an effect that gives something; with its controller where others have one of that name. */
const swallowedOutputs: { readonly [effect: string]: unknown } = {
  review: true,
  deleteObject: 'deleted',
  confirm: null,
  sweep: { endsForMs: 0, undiscovered: [], failures: [], remaining: {}, finalizers: {} },
  count: { used: {}, recent: {}, settlesInMs: undefined },
  'legacy-service-account-token-cleaner/confirm': { token: null, verdict: { verdict: 'keep' } },
};

/** Kinds that the controllers watch, by controller. */
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

/** Mutants of one controller by hand. */
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
      says: 'the finalizer is removed before the dependents are rid of their references',
      pattern: 'intermediate',
      mutate: withWritesSwapped('orphaning', 'removingFinalizer'),
    },
  ],
  namespace: [
    {
      name: 'finalize-before-report',
      says: 'the namespace is let go before it is looked at what is left',
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

const ASKED_AGAIN = 'where the API shows less than the caches it is asked again within a minute';
const LOOKED_AT_AGAIN =
  'every token comes up again within ten hours, and what it is judged by are whole days';

/** Mutants that do something else, and nothing wrong. */
const harmless: { readonly [name: string]: string } = {
  'serviceaccount/409-ignored': 'what was created is looked for again after a while',
  'serviceaccount/create-error-swallowed': 'what was created is looked for again after a while',
  'serviceaccount/clock-ahead': 'acts on no time',
  'serviceaccount/clock-behind': 'acts on no time',
  'serviceaccount/serviceaccounts-added-unheard': 'an account that comes brings no work',
  'serviceaccount/serviceaccounts-changed-unheard':
    'an account that changes is there: one that goes brings work',
  'serviceaccount/namespaces-changed-unheard': 'a namespace becomes active only by being made',
  'namespace/report-error-swallowed':
    'what a namespace says of what is left is for people: nothing that happens rests on it',
  'job/adopt-error-swallowed': 'after an adoption pods are counted anew, whether it has succeeded or not',
  'ttlafterfinished/cached-reads': 'a deletion names the version, so one judged by a stale state is refused',
  'csrapproving/certificatesigningrequests-changed-unheard':
    'what a request asks for never changes, and a decision of others leaves nothing to do',
  'namespace/clock-ahead': 'the time is written into conditions, which are for people',
  'namespace/clock-behind': 'the time is written into conditions, which are for people',
  'root-ca-cert-publisher/namespaces-changed-unheard': 'a namespace becomes active only by being made',
  'root-ca-cert-publisher/create-error-swallowed': 'what was created is looked for again after a while',
  'root-ca-cert-publisher/configmaps-added-unheard':
    'one that others make is new with its namespace or after a deletion, which bring it up: a creation is then refused and tried again',
  'pv-protection/requeue-dropped': 'a volume that is free again has changed, which brings it up',
  'pv-protection/deadline-late': 'a volume that is free again has changed, which brings it up',
  'pv-protection/cached-reads':
    'what lets a volume go names the version, and the version says whether it is bound',
  'pv-protection/isUsed-error-swallowed':
    'what lets a volume go names the version, and the version says whether it is bound',
  'pvc-protection/pods-added-unheard': 'a pod that comes keeps claims, and lets none go',
  'legacy-service-account-token-cleaner/pods-added-unheard':
    'a pod that comes keeps tokens, and lets none go',
  'legacy-service-account-token-cleaner/pods-changed-unheard': 'which Secrets a pod has never changes',
  'legacy-service-account-token-cleaner/secrets-added-unheard': LOOKED_AT_AGAIN,
  'legacy-service-account-token-cleaner/secrets-changed-unheard': LOOKED_AT_AGAIN,
  'legacy-service-account-token-cleaner/serviceaccounts-added-unheard': LOOKED_AT_AGAIN,
  'bootstrapsigner/cached-reads': ASKED_AGAIN,
  'bootstrapsigner/confirm-error-swallowed': ASKED_AGAIN,
  'csrcleaner/cached-reads': 'a deletion names the version, so one judged by a stale state is refused',
};

/** All mutants of a controller. */
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
  const deaf = (watched[controller] ?? []).flatMap((plural) =>
    (['added', 'changed', 'deleted'] as const).map((which): Operator => ({
      name: `${plural}-${which}-unheard`,
      says: `${plural} that are ${which} bring nothing up`,
      pattern: 'unobserved',
      mutate: withWakeUpLost(plural, which),
      ...(which === 'deleted' ? { harmless: 'a deletion of this kind brings this controller no work' } : {}),
    })),
  );
  return [...everywhere, ...swallowed, ...deaf, ...(byHand[controller] ?? [])].map(({ name, ...rest }) => {
    const full = `${controller}/${name}`;
    const why = harmless[full];
    return { ...rest, ...(why === undefined ? {} : { harmless: why }), controller, name: full };
  });
}

/** The mutant of a controller with a name such as `cronjob/no-version`, or `no-version`. */
export const mutantNamed = (definition: ControllerDefinition, name: string): Mutant | undefined =>
  name === ''
    ? undefined
    : mutantsOf(definition).find((each) => each.name === name || each.name.endsWith(`/${name}`));
