import { isDeepStrictEqual } from 'node:util';
import type { ApiObject, DeepReadonly } from '../../api/kinds/index.ts';
import { notFound } from '../../api/status/index.ts';
import type { TokenRequest } from '../../api/types/authentication-v1.ts';
import type { Node } from '../../api/types/core-v1-node.ts';
import type { Pod } from '../../api/types/core-v1-pod.ts';
import type { PersistentVolumeClaim } from '../../api/types/core-v1-persistent-volume.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import { nodeOf } from '../authorization/node-identity.ts';
import { podConfigMaps } from '../authorization/object-references.ts';
import type { ObjectReader } from '../registry/registry.ts';
import type { AdmissionPlugin, AdmissionRequest } from '../request.ts';
import { cachedOrLive } from './cached-or-live.ts';
import { createForbiddenLabels } from './node-labels.ts';
import { podSecrets } from './pod-secrets.ts';
import { rejection } from './rejection.ts';

/** Vocabulary and readers of the plugin. */
export interface NodeRestrictionOptions {
  readonly vocabulary: Vocabulary;
  readonly pods: Pick<ObjectReader<Pod>, 'get' | 'live'>;
  readonly nodes: Pick<ObjectReader<Node>, 'get' | 'live'>;
}

type Request = DeepReadonly<AdmissionRequest>;
/**
 * Function that returns the reason why a request of the given node is rejected, or undefined if the request
 * is allowed.
 */
type Check = (node: string, request: Request) => Promise<string | undefined> | string | undefined;

const quote = (text: string): string => JSON.stringify(text);

/**
 * Creates a plugin that restricts the writes of node agents to their own Node, the pods bound to it, and
 * objects of these pods. It checks the content of writes, which authorization cannot see
 * (https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#noderestriction).
 */
export function createNodeRestriction(options: NodeRestrictionOptions): AdmissionPlugin {
  const { vocabulary } = options;
  const checks = checksOf(options);
  const checkOf = ({ group, plural }: AdmissionRequest['kind']): Check | undefined =>
    checks.get(`${group}/${plural}`);
  return {
    name: 'NodeRestriction',
    operations: ['CREATE', 'UPDATE', 'DELETE'],
    concerns: (kind) => checkOf(kind) !== undefined,
    mutates: () => false,
    // Runs in the mutating phase, like upstream, as a node is not responsible for changes by other plugins.
    async mutate(request) {
      const node = nodeOf(request.user);
      if (node === undefined) return;
      const why =
        node === ''
          ? `could not determine node from user ${quote(request.user.username)}`
          : await checkOf(request.kind)?.(node, request);
      if (why !== undefined) throw rejection(request, vocabulary, why);
    },
  };
}

function checksOf(options: NodeRestrictionOptions): ReadonlyMap<string, Check> {
  const { nodeLease } = options.vocabulary.namespaces;
  const lease: Check = (node, request) => {
    if (request.namespace !== nodeLease)
      return `can only access leases in the ${quote(nodeLease)} system namespace`;
    return nameOf(request) === node
      ? undefined
      : 'can only access node lease with the same name as the requesting node';
  };
  const csiNode: Check = (node, request) =>
    nameOf(request) === node
      ? undefined
      : 'can only access CSINode with the same name as the requesting node';
  return new Map<string, Check>([
    ['/pods', podCheck(options)],
    ['/nodes', nodeCheck(options.vocabulary)],
    ['/persistentvolumeclaims', checkClaim],
    ['/serviceaccounts', tokenCheck(options)],
    ['coordination/leases', lease],
    ['storage/csinodes', csiNode],
  ]);
}

/** Returns the name of the object. In a create request, only the object contains it. */
const nameOf = ({ name, object }: Request): string => name || (object?.metadata?.name ?? '');

async function find<T extends ApiObject>(
  reader: Pick<ObjectReader<T>, 'get' | 'live'>,
  singular: string,
  namespace: string,
  name: string,
): Promise<DeepReadonly<T>> {
  const found = await cachedOrLive(reader, namespace, name);
  if (found === undefined) throw notFound({ group: '', resource: singular }, name);
  return found;
}

function podCheck(options: NodeRestrictionOptions): Check {
  const isBound = async (node: string, request: Request): Promise<boolean> => {
    const pod = await find(options.pods, 'pod', request.namespace, nameOf(request));
    return pod.spec?.nodeName === node;
  };

  const itself: Check = async (node, request) => {
    if (request.operation === 'CREATE') return checkMirrorPod(options, node, request.object ?? {});
    if (request.operation !== 'DELETE')
      return `unexpected operation ${quote(request.operation)}, node ${quote(node)} can only create and delete mirror pods`;
    return (await isBound(node, request))
      ? undefined
      : `node ${quote(node)} can only delete pods with spec.nodeName set to itself`;
  };

  const eviction: Check = async (node, request) => {
    if (request.operation !== 'CREATE') return `unexpected operation ${request.operation}`;
    if (nameOf(request) === '') return 'could not determine pod from request data';
    return (await isBound(node, request))
      ? undefined
      : `node ${node} can only evict pods with spec.nodeName set to itself`;
  };

  return (node, request) => {
    switch (request.subresource) {
      case '':
        return itself(node, request);
      case 'status':
        return checkPodStatus(node, request);
      case 'eviction':
        return eviction(node, request);
      default:
        return `unexpected pod subresource ${quote(request.subresource)}, only 'status' and 'eviction' are allowed`;
    }
  };
}

/**
 * Checks a mirror pod, which represents a static pod. It must be bound to the node, owned by the node, and
 * have no references to other API objects.
 */
async function checkMirrorPod(
  { vocabulary, nodes }: NodeRestrictionOptions,
  node: string,
  pod: DeepReadonly<Pod>,
): Promise<string | undefined> {
  const mirror = vocabulary.key('', 'config.mirror');
  const who = `node ${quote(node)}`;
  if (!Object.hasOwn(pod.metadata?.annotations ?? {}, mirror))
    return `pod does not have ${quote(mirror)} annotation, ${who} can only create mirror pods`;
  if (pod.spec?.nodeName !== node) return `${who} can only create pods with spec.nodeName set to itself`;
  const wrong = await checkOwner(nodes, node, pod);
  if (wrong !== undefined) return wrong;
  const { serviceAccountName = '', volumes = [] } = pod.spec;
  if (serviceAccountName !== '') return `${who} can not create pods that reference a service account`;
  if (!podSecrets(pod.spec).next().done) return `${who} can not create pods that reference secrets`;
  if (!podConfigMaps(pod.spec).next().done) return `${who} can not create pods that reference configmaps`;
  if (volumes.some(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined))
    return `${who} can not create pods that reference persistentvolumeclaims`;
  return undefined;
}

async function checkOwner(
  nodes: NodeRestrictionOptions['nodes'],
  node: string,
  { metadata }: DeepReadonly<Pod>,
): Promise<string | undefined> {
  const who = `node ${quote(node)}`;
  const [owner, ...others] = metadata?.ownerReferences ?? [];
  if (others.length > 0) return `${who} can only create pods with a single owner reference set to itself`;
  if (owner?.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== node)
    return `${who} can only create pods with an owner reference set to itself`;
  if (owner.controller !== true)
    return `${who} can only create pods with a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true)
    return `${who} must not set blockOwnerDeletion on an owner reference`;
  const { uid = '' } = (await find(nodes, 'node', '', node)).metadata ?? {};
  return owner.uid === uid ? undefined : `node ${node} UID mismatch: expected ${owner.uid} got ${uid}`;
}

const checkPodStatus: Check = (node, { operation, object, previous }) => {
  if (operation !== 'UPDATE') return `unexpected operation ${quote(operation)}`;
  if ((previous as DeepReadonly<Pod> | undefined)?.spec?.nodeName !== node)
    return `node ${quote(node)} can only update pod status for pods with spec.nodeName set to itself`;
  return isDeepStrictEqual(object?.metadata?.labels ?? {}, previous?.metadata?.labels ?? {})
    ? undefined
    : `node ${quote(node)} cannot update labels through pod status`;
};

const nodeCheck = (vocabulary: Vocabulary): Check => {
  const forbiddenLabels = createForbiddenLabels(vocabulary);
  return (node, request) => {
    const who = `node ${quote(node)}`;
    const name = nameOf(request);
    if (name !== node) return `${who} is not allowed to modify node ${quote(name)}`;
    const object = request.object as DeepReadonly<Node> | undefined;
    const previous = request.previous as DeepReadonly<Node> | undefined;
    const labels = forbiddenLabels(object?.metadata?.labels ?? {}, previous?.metadata?.labels ?? {});
    const source = object?.spec?.configSource;
    if (request.operation === 'CREATE') {
      if (source !== undefined) return `${who} is not allowed to create pods with a non-nil configSource`;
      if (labels.length > 0) return `${who} is not allowed to set the following labels: ${labels.join(', ')}`;
    }
    if (request.operation === 'UPDATE') {
      if (source !== undefined && !isDeepStrictEqual(source, previous?.spec?.configSource))
        return `${who} is not allowed to update configSource to a new non-nil configSource`;
      if (!isDeepStrictEqual(object?.spec?.taints ?? [], previous?.spec?.taints ?? []))
        return `${who} is not allowed to modify taints`;
      if (labels.length > 0) return `is not allowed to modify labels: ${labels.join(', ')}`;
    }
    return undefined;
  };
};

/**
 * Returns the parts of a claim that a node may not change in a status update: all except capacity and
 * conditions.
 */
function fixedParts(
  claim: DeepReadonly<PersistentVolumeClaim> | undefined,
): Readonly<Record<string, unknown>> {
  const { metadata, status, spec } = claim ?? {};
  const { resourceVersion: _r, managedFields: _m, ...kept } = metadata ?? {};
  const { capacity: _c, conditions: _d, ...rest } = status ?? {};
  return { metadata: kept, spec: spec ?? {}, status: rest };
}

const checkClaim: Check = (node, { operation, subresource, object, previous }) => {
  if (subresource !== 'status') return 'may only update PVC status';
  if (operation !== 'UPDATE') return `unexpected operation ${quote(operation)}`;
  const next = fixedParts(object);
  const before = fixedParts(previous);
  const changed = Object.keys(next).filter((part) => !isDeepStrictEqual(next[part], before[part]));
  return changed.length === 0
    ? undefined
    : `node ${quote(node)} is not allowed to update fields other than status.capacity and status.conditions: ${changed.join(', ')}`;
};

/** Returns the check of token requests. A token must be bound to a pod on the node. */
const tokenCheck =
  ({ pods }: NodeRestrictionOptions): Check =>
  async (node, { operation, subresource, object, namespace }) => {
    if (operation !== 'CREATE' || subresource !== 'token') return undefined;
    const bound = (object as DeepReadonly<TokenRequest> | undefined)?.spec.boundObjectRef;
    if (bound?.apiVersion !== 'v1' || bound.kind !== 'Pod' || !bound.name)
      return 'node requested token not bound to a pod';
    if (!bound.uid) return 'node requested token with a pod binding without a uid';
    const pod = await find(pods, 'pod', namespace, bound.name);
    if (pod.metadata?.uid !== bound.uid)
      return `the UID in the bound object reference (${bound.uid}) does not match the UID in record. The object might have been deleted and then recreated`;
    return pod.spec?.nodeName === node
      ? undefined
      : 'node requested token bound to a pod scheduled on a different node';
  };
