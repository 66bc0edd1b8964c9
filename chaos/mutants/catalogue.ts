import { actorNamesOf } from '../../runtime/controller/index.ts';
import type { ControllerDefinition } from '../../runtime/index.ts';
import { twinOf } from '../controllers/index.ts';
import type { Mutant, Operator } from './mutant.ts';
import {
  withCachedReads,
  withClockOffBy,
  withErrorSwallowed,
  withFailureForgotten,
  withRefusalsIgnored,
  withRequeueDropped,
  withRequeueLater,
  withWakeUpLost,
  withoutPreconditions,
} from './operators.ts';

const HOUR = 3_600_000;

/** Mutations that apply to every controller. */
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
 * Outputs that replace a swallowed error, by effect. The chaos twin of a controller adds the effects that
 * only this controller has.
 */
const swallowedOutputs: { readonly [effect: string]: unknown } = {
  deleteObject: 'deleted',
  confirm: null,
};

/** Returns all mutants of a controller. */
export function mutantsOf(definition: ControllerDefinition): readonly Mutant[] {
  const { name: controller, machine } = definition;
  const {
    watched = [],
    operators = [],
    swallowed: outputs = {},
    harmless = {},
  } = twinOf(controller)?.mutants ?? {};
  const swallowed = actorNamesOf(machine)
    .filter((effect) => effect !== 'observe')
    .map((effect): Operator => ({
      name: `${effect}-error-swallowed`,
      says: `a failure of ${effect} counts as success`,
      pattern: 'intermediate',
      mutate: withErrorSwallowed(effect, outputs[effect] ?? swallowedOutputs[effect]),
    }));
  const missing = watched.flatMap((plural) =>
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
  return [...everywhere, ...swallowed, ...missing, ...operators].map(({ name, ...rest }) => {
    const why = harmless[name];
    return {
      ...rest,
      ...(why === undefined ? {} : { harmless: why }),
      controller,
      name: `${controller}/${name}`,
    };
  });
}

/**
 * Returns the mutant with a name such as `cronjob/no-version` or `no-version`. Undefined if there is none.
 */
export const mutantNamed = (definition: ControllerDefinition, name: string): Mutant | undefined =>
  name === ''
    ? undefined
    : mutantsOf(definition).find((each) => each.name === name || each.name.endsWith(`/${name}`));
