import type { DeepReadonly } from '../../api/kinds/index.ts';
import { sameLists, toResourceList } from '../../api/quota/index.ts';
import type { Pod, PodSpec } from '../../api/types/core-v1-pod.ts';
import type { RuntimeClass } from '../../api/types/node-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { cachedOrLive } from './cached-or-live.ts';
import { coreKind, isCore, rejection } from './rejection.ts';
import { mergeTolerations } from './tolerations.ts';

type Class = DeepReadonly<RuntimeClass>;
type Labels = { readonly [label: string]: string };
type Overhead = { readonly [name: string]: string } | undefined;

const sameOverhead = (a: Overhead, b: Overhead): boolean => sameLists(toResourceList(a), toResourceList(b));
const isSet = (overhead: Overhead): boolean => Object.keys(overhead ?? {}).length > 0;

const MISMATCH = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
const UNDEFINED = 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead';

/**
 * Returns a description of the label for which pod and class require different values. Returns undefined if
 * there is no such label.
 */
function nodeConflict(given: Labels, wanted: Labels): string | undefined {
  const label = Object.keys(wanted).find(
    (each) => Object.hasOwn(given, each) && given[each] !== wanted[each],
  );
  return label === undefined
    ? undefined
    : `conflict: runtimeClass.scheduling.nodeSelector[${label}] = ${wanted[label]}; pod.spec.nodeSelector[${label}] = ${given[label]}`;
}

/** Sets the overhead of a class on a pod. Returns the conflict if the pod has a different overhead. */
function giveOverhead(spec: PodSpec, { overhead }: Class): string | undefined {
  if (overhead === undefined) return undefined;
  const { podFixed } = overhead;
  if (isSet(spec.overhead) && !sameOverhead(spec.overhead, podFixed)) return MISMATCH;
  if (isSet(podFixed)) spec.overhead = { ...podFixed };
  return undefined;
}

/**
 * Adds the node selector and tolerations of a class to a pod. Returns the conflict if the pod selects other
 * nodes.
 */
function schedule(spec: PodSpec, { scheduling }: Class): string | undefined {
  if (scheduling === undefined) return undefined;
  const conflict = nodeConflict(spec.nodeSelector ?? {}, scheduling.nodeSelector ?? {});
  if (conflict !== undefined) return conflict;
  const nodeSelector = { ...spec.nodeSelector, ...scheduling.nodeSelector };
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = nodeSelector;
  const tolerations = mergeTolerations(spec.tolerations, scheduling.tolerations);
  if (tolerations.length > 0) spec.tolerations = tolerations;
  return undefined;
}

/**
 * Creates a plugin that sets the overhead and scheduling constraints of a pod's RuntimeClass
 * (https://kubernetes.io/docs/concepts/containers/runtime-class/).
 */
export function createRuntimeClass(options: {
  readonly runtimeClasses: ObjectReader<RuntimeClass>;
  readonly vocabulary: Vocabulary;
}): AdmissionPlugin {
  const { runtimeClasses, vocabulary } = options;

  async function classOf(
    request: DeepReadonly<AdmissionRequest>,
    { runtimeClassName: name }: DeepReadonly<PodSpec>,
  ): Promise<Class | undefined> {
    if (name === undefined) return undefined;
    const found = await cachedOrLive(runtimeClasses, '', name);
    if (found !== undefined) return found;
    throw rejection(request, vocabulary, `pod rejected: RuntimeClass ${JSON.stringify(name)} not found`);
  }

  return {
    name: 'RuntimeClass',
    operations: ['CREATE'],
    concerns: coreKind('pods'),
    async mutate(request) {
      const spec = (request.object as Pod | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      const found = await classOf(request, spec);
      const problem = found && (giveOverhead(spec, found) ?? schedule(spec, found));
      if (problem !== undefined) throw rejection(request, vocabulary, problem);
    },
    async validate(request) {
      const spec = (request.object as DeepReadonly<Pod> | undefined)?.spec;
      if (!isCore(request, 'pods') || spec === undefined) return;
      const overhead = (await classOf(request, spec))?.overhead;
      if (overhead === undefined) {
        if (isSet(spec.overhead)) throw rejection(request, vocabulary, UNDEFINED);
      } else if (!sameOverhead(overhead.podFixed, spec.overhead))
        throw rejection(request, vocabulary, MISMATCH);
    },
  };
}
