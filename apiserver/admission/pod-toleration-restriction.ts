import { qosClassOf } from '../../api/groups/core/index.ts';
import type { DeepReadonly } from '../../api/kinds/index.ts';
import { decode } from '../../api/schema/index.ts';
import { type Pod, Toleration } from '../../api/types/core-v1-pod.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { charged } from '../../base/budget/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { cachedOrLive } from './cached-or-live.ts';
import { checkConfigurationType, closedRecordOf, listOf } from './configuration-value.ts';
import { coreKind, isCore, plainError } from './rejection.ts';
import { areAllowed, mergeTolerations } from './tolerations.ts';

type Tolerations = readonly Toleration[];

/** Tolerations for pods in namespaces without annotations. */
interface Configuration {
  readonly byDefault: Tolerations;
  readonly allowed: Tolerations;
}

/** Parses tolerations. Throws if a toleration is invalid. */
const tolerationsIn = (given: unknown, what: string): Tolerations =>
  listOf(given, what).map((each) => decode<Toleration>(Toleration, each as object).value);

function parseConfiguration(configuration: unknown, { groupSuffix }: Vocabulary): Configuration {
  if (configuration === undefined) return { byDefault: [], allowed: [] };
  const names = ['apiVersion', 'kind', 'default', 'whitelist'];
  const fields = closedRecordOf(configuration, 'the configuration', names);
  checkConfigurationType(fields, 'Configuration', [
    `podtolerationrestriction.admission.${groupSuffix}/v1alpha1`,
  ]);
  return {
    byDefault: tolerationsIn(fields['default'], 'default'),
    allowed: tolerationsIn(fields['whitelist'], 'whitelist'),
  };
}

/**
 * Creates a plugin that adds the tolerations of the namespace to new pods, and rejects tolerations that the
 * namespace does not allow
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podtolerationrestriction).
 */
export function createPodTolerationRestriction(
  options: { readonly namespaces: ObjectReader<Namespace>; readonly vocabulary: Vocabulary },
  given: unknown,
): AdmissionPlugin {
  const { namespaces, vocabulary } = options;
  const configuration = parseConfiguration(given, vocabulary);
  const defaultKey = vocabulary.key('scheduler.alpha', 'defaultTolerations');
  const allowedKey = vocabulary.key('scheduler.alpha', 'tolerationsWhitelist');
  const memoryPressure: Toleration = {
    key: vocabulary.key('node', 'memory-pressure'),
    operator: 'Exists',
    effect: 'NoSchedule',
  };

  /**
   * Returns the tolerations in an annotation of the namespace. Returns undefined if the namespace has no such
   * annotation.
   */
  async function annotated(name: string, key: string): Promise<Tolerations | undefined> {
    const namespace = await cachedOrLive(namespaces, '', name);
    const text = namespace?.metadata?.annotations?.[key];
    if (text === undefined) return undefined;
    try {
      return text === '' ? [] : tolerationsIn(JSON.parse(text), key);
    } catch (thrown) {
      throw plainError(messageOf(thrown));
    }
  }

  return {
    name: 'PodTolerationRestriction',
    operations: ['CREATE', 'UPDATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const pod = request.object as Pod | undefined;
      if (!isCore(request, 'pods') || pod?.spec === undefined) return;
      const added =
        request.operation === 'CREATE'
          ? ((await annotated(request.namespace, defaultKey)) ?? configuration.byDefault)
          : [];
      const all = qosClassOf(pod) === 'BestEffort' ? added : [...added, memoryPressure];
      const { spec } = pod;
      if (all.length > 0)
        spec.tolerations = charged(request.budget, () => mergeTolerations(spec.tolerations, all));
    },
    async validate(request) {
      const tolerations = (request.object as DeepReadonly<Pod> | undefined)?.spec?.tolerations ?? [];
      if (!isCore(request, 'pods') || tolerations.length === 0) return;
      const own = await annotated(request.namespace, allowedKey);
      if (charged(request.budget, () => areAllowed(tolerations, own ?? configuration.allowed))) return;
      throw plainError(
        `pod tolerations (possibly merged with namespace default tolerations) conflict with its ${own === undefined ? 'cluster' : 'namespace'} whitelist`,
      );
    },
  };
}
