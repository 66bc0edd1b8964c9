import type { AnyKind, DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { PriorityClass } from '../../api/types/scheduling-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { cachedOrLive } from './cached-or-live.ts';
import { coreKind, isCore, rejection } from './rejection.ts';

type Policy = NonNullable<PodSpec['preemptionPolicy']>;

/** Values that a PriorityClass sets on its pods. */
interface Resolved {
  readonly name: string;
  readonly value: number;
  readonly preemptionPolicy: Policy | undefined;
}

/** Values of pods without a class if there is no default class. */
const WITHOUT_CLASS: Resolved = { name: '', value: 0, preemptionPolicy: 'PreemptLowerPriority' };

const isPods = coreKind('pods');
const isClasses = ({ group, plural }: AnyKind): boolean =>
  group === 'scheduling' && plural === 'priorityclasses';

const resolvedOf = ({ metadata, value, preemptionPolicy }: DeepReadonly<PriorityClass>): Resolved => ({
  name: metadata?.name ?? '',
  value: value ?? 0,
  preemptionPolicy,
});

/**
 * Copies from the previous spec the values that an update omits. The validation of pods rejects changed values.
 */
function keepResolved(next: PodSpec, previous: DeepReadonly<PodSpec> | undefined): void {
  if (next.priority === undefined && previous?.priority !== undefined) next.priority = previous.priority;
  if (next.preemptionPolicy === undefined && previous?.preemptionPolicy !== undefined)
    next.preemptionPolicy = previous.preemptionPolicy;
}

/**
 * Returns how the priority of a new pod differs from that of its class. Returns undefined if it does not
 * differ.
 */
function contradiction({ priority, preemptionPolicy }: PodSpec, resolved: Resolved): string | undefined {
  const computed = 'must not be provided in pod spec; priority admission controller computed';
  if (priority !== undefined && priority !== resolved.value)
    return `the integer value of priority (${priority}) ${computed} ${resolved.value} from the given PriorityClass name`;
  const policy = resolved.preemptionPolicy;
  if (policy !== undefined && preemptionPolicy !== undefined && preemptionPolicy !== policy)
    return `the string value of PreemptionPolicy (${preemptionPolicy}) ${computed} ${policy} from the given PriorityClass name`;
  return undefined;
}

/**
 * Returns the default class. If two classes became the default concurrently, the class with the lower value
 * takes precedence.
 */
function defaultAmong(
  classes: readonly DeepReadonly<PriorityClass>[],
): DeepReadonly<PriorityClass> | undefined {
  let found: DeepReadonly<PriorityClass> | undefined;
  for (const each of classes)
    if (each.globalDefault && (found === undefined || (each.value ?? 0) < (found.value ?? 0))) found = each;
  return found;
}

/**
 * Creates a plugin that sets the priority of each new pod by its class or the default class, and rejects a
 * second default class
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#priority).
 */
export function createPriority(options: {
  readonly priorityClasses: ObjectReader<PriorityClass>;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { priorityClasses, vocabulary } = options;

  async function resolve(request: AdmissionRequest, name: string): Promise<Resolved> {
    if (name === '') {
      const found = defaultAmong(priorityClasses.list());
      return found === undefined ? WITHOUT_CLASS : resolvedOf(found);
    }
    const found = await cachedOrLive(priorityClasses, '', name);
    if (found === undefined)
      throw rejection(request, vocabulary, `no PriorityClass with name ${name} was found`);
    return resolvedOf(found);
  }

  return {
    name: 'Priority',
    operations: ['CREATE', 'UPDATE'],
    concerns: (kind) => isPods(kind) || isClasses(kind),
    mutates: isPods,
    async mutate(request) {
      const spec = (request.object as Pod | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      if (request.operation === 'UPDATE') {
        keepResolved(spec, (request.previous as DeepReadonly<Pod> | undefined)?.spec);
        return;
      }
      const resolved = await resolve(request, spec.priorityClassName ?? '');
      if (!spec.priorityClassName && resolved.name !== '') spec.priorityClassName = resolved.name;
      const message = contradiction(spec, resolved);
      if (message !== undefined) throw rejection(request, vocabulary, message);
      spec.priority = resolved.value;
      if (resolved.preemptionPolicy !== undefined) spec.preemptionPolicy = resolved.preemptionPolicy;
    },
    async validate(request) {
      const next = request.object as DeepReadonly<PriorityClass> | undefined;
      if (!isClasses(request.kind as AnyKind) || request.subresource !== '' || !next?.globalDefault) return;
      const found = defaultAmong(priorityClasses.list())?.metadata?.name;
      if (found === undefined || (request.operation === 'UPDATE' && found === next.metadata?.name)) return;
      const words = `PriorityClass ${found} is already marked as default. Only one default can exist`;
      throw rejection(request, vocabulary, words);
    },
  };
}
