import type { DeepReadonly } from '../../api/kinds/index.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { Namespace } from '../../api/types/core-v1.ts';
import { isLabelValue, isQualifiedName } from '../../api/validation/index.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { messageOf } from '../../base/errors/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin } from '../request.ts';
import { cachedOrLive } from './cached-or-live.ts';
import { closedRecordOf, recordOf, textOf } from './configuration-value.ts';
import { coreKind, isCore, plainError, rejection } from './rejection.ts';

type Labels = { readonly [label: string]: string };

const SECTION = 'podNodeSelectorPluginConfig';
const CLUSTER_DEFAULT = 'clusterDefaultNodeSelector';
const CONFLICT = 'pod node label selector conflicts with its namespace node label selector';
const NOT_ALLOWED = 'pod node label selector labels conflict with its namespace whitelist';

/**
 * Parses labels such as `a=b,c=d`; '' stands for no labels. Throws upstream's message if the text is invalid.
 */
function parseLabels(text: string): Labels {
  if (text === '') return {};
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [key = '', value, ...rest] = part.split('=').map((each) => each.trim());
      if (value === undefined || rest.length > 0)
        throw new Error(`invalid selector: [${part.split('=').join(' ')}]`);
      const problems = [...isQualifiedName(key), ...isLabelValue(value)];
      if (problems.length > 0) throw new Error(`invalid selector: ${part}: ${problems.join('; ')}`);
      return [key, value];
    }),
  );
}

/**
 * Parses the node selectors by namespace, and the cluster default. Throws an error if a selector is invalid.
 */
function parseConfiguration(configuration: unknown): ReadonlyMap<string, Labels> {
  if (configuration === undefined) return new Map();
  const section = closedRecordOf(configuration, 'the configuration', [SECTION])[SECTION] ?? {};
  return new Map(
    Object.entries(recordOf(section, SECTION)).map(([namespace, text]) => {
      const what = `${SECTION}.${namespace}`;
      try {
        return [namespace, parseLabels(textOf(text, what))];
      } catch (thrown) {
        throw new Error(`${what}: ${messageOf(thrown)}`, { cause: thrown });
      }
    }),
  );
}

const conflicts = (a: Labels, b: Labels): boolean =>
  Object.entries(a).some(([label, value]) => Object.hasOwn(b, label) && b[label] !== value);

/** True if all labels are allowed. An empty `allowed` allows every label. */
const isWithin = (labels: Labels, allowed: Labels): boolean =>
  Object.keys(allowed).length === 0 ||
  Object.entries(labels).every(([label, value]) => Object.hasOwn(allowed, label) && allowed[label] === value);

/**
 * Creates a plugin that restricts the pods of a namespace to certain nodes. An annotation of the namespace or
 * the configuration selects the nodes
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#podnodeselector).
 */
export function createPodNodeSelector(
  options: { readonly namespaces: ObjectReader<Namespace>; readonly vocabulary: Vocabulary },
  configuration: unknown,
): AdmissionPlugin {
  const { namespaces, vocabulary } = options;
  const configured = parseConfiguration(configuration);
  const annotation = vocabulary.key('scheduler.alpha', 'node-selector');

  async function selectorOf(name: string): Promise<Labels> {
    const namespace = await cachedOrLive(namespaces, '', name);
    const text = namespace?.metadata?.annotations?.[annotation];
    if (text === undefined) return configured.get(CLUSTER_DEFAULT) ?? {};
    try {
      return parseLabels(text);
    } catch (thrown) {
      throw plainError(messageOf(thrown));
    }
  }

  return {
    name: 'PodNodeSelector',
    operations: ['CREATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const spec = (request.object as Pod | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      const selector = await selectorOf(request.namespace);
      if (conflicts(selector, spec.nodeSelector ?? {})) throw rejection(request, vocabulary, CONFLICT);
      const merged = { ...selector, ...spec.nodeSelector };
      if (Object.keys(merged).length > 0) spec.nodeSelector = merged;
    },
    async validate(request) {
      const spec = (request.object as DeepReadonly<Pod> | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      const nodeSelector = spec.nodeSelector ?? {};
      if (conflicts(await selectorOf(request.namespace), nodeSelector))
        throw rejection(request, vocabulary, CONFLICT);
      if (!isWithin(nodeSelector, configured.get(request.namespace) ?? {}))
        throw rejection(request, vocabulary, NOT_ALLOWED);
    },
  };
}
