import type { PolicyRule } from '../../api/types/rbac-v1.ts';
import type { Vocabulary } from '../../api/vocabulary/index.ts';
import type { Attributes, Authorizer, Decision } from '../request.ts';
import { compileRule, ruleSubject } from './compiled-rule.ts';
import { NO_OPINION, NO_RULES, noOpinion } from './decisions.ts';
import type { NodeGraph } from './node-graph.ts';
import { nodeOf } from './node-identity.ts';
import type { ReferencedKind } from './object-references.ts';

const ALLOW: Decision = { verdict: 'allow', reason: '' };
const OWN_VERBS = new Set(['get', 'create', 'update', 'patch', 'delete']);
const READ_VERBS = new Set(['get', 'list', 'watch']);

/** Function that decides on requests for one resource by the node with the given name. */
type Judge = (node: string, attributes: Attributes) => Decision;

/**
 * Creates the authorizer for node agents (https://kubernetes.io/docs/reference/access-authn-authz/node/). A
 * node agent may do only what its node's pods require. It may read a Secret, ConfigMap, PersistentVolumeClaim
 * or PersistentVolume only if a pod on its node refers to that object. Requests for other resources are
 * decided by `rules`, which are the same for all nodes. The authorizer allows a request or has no opinion.
 */
export function createNodeAuthorizer(options: {
  readonly graph: NodeGraph;
  readonly rules: readonly PolicyRule[];
  readonly vocabulary: Vocabulary;
}): Authorizer {
  const judges = judgesOf(options.graph, options.vocabulary);
  const rules = options.rules.map(compileRule);
  return {
    name: 'Node',
    authorize(attributes) {
      const node = nodeOf(attributes.user);
      if (node === undefined) return Promise.resolve(NO_OPINION);
      if (node === '')
        return Promise.resolve(
          noOpinion(`unknown node for user ${JSON.stringify(attributes.user.username)}`),
        );
      const judge = attributes.isResourceRequest
        ? judges.get(`${attributes.group}/${attributes.resource}`)
        : undefined;
      if (judge) return Promise.resolve(judge(node, attributes));
      const subject = ruleSubject(attributes);
      return Promise.resolve(rules.some((matches) => matches(subject)) ? ALLOW : NO_OPINION);
    },
    rules: (user) =>
      Promise.resolve(
        nodeOf(user) === undefined
          ? NO_RULES
          : {
              ...NO_RULES,
              incomplete: true,
              error: 'node authorizer does not support user rule resolution',
            },
      ),
  };
}

/** Returns the judges by API group, with its domain suffix, and resource. */
const judgesOf = (graph: NodeGraph, v: Vocabulary): ReadonlyMap<string, Judge> =>
  new Map<string, Judge>([
    ['/secrets', read(graph, 'secret')],
    ['/configmaps', read(graph, 'configmap')],
    ['/persistentvolumeclaims', claim(graph)],
    ['/persistentvolumes', get(graph, 'volume')],
    ['/serviceaccounts', token(graph)],
    [`${v.group('storage')}/volumeattachments`, get(graph, 'attachment')],
    [`${v.group('coordination')}/leases`, lease(v.namespaces.nodeLease)],
    [`${v.group('storage')}/csinodes`, csiNode],
  ]);

/** Returns a judge that allows objects to which a pod of the node refers. */
const related =
  (graph: NodeGraph, kind: ReferencedKind): Judge =>
  (node, { namespace, name }) =>
    graph.relates(node, kind, namespace, name)
      ? ALLOW
      : noOpinion(`no relationship found between node '${node}' and this object`);

function named(graph: NodeGraph, kind: ReferencedKind): Judge {
  const judge = related(graph, kind);
  return (node, attributes) =>
    attributes.name === '' ? noOpinion('No Object name found') : judge(node, attributes);
}

function read(graph: NodeGraph, kind: ReferencedKind): Judge {
  const judge = named(graph, kind);
  return (node, attributes) => {
    if (!READ_VERBS.has(attributes.verb)) return noOpinion('can only read resources of this type');
    if (attributes.subresource !== '') return noOpinion('cannot read subresource');
    if (attributes.namespace === '') return noOpinion('can only read namespaced object of this type');
    return judge(node, attributes);
  };
}

function get(graph: NodeGraph, kind: ReferencedKind): Judge {
  const judge = named(graph, kind);
  return (node, attributes) => {
    if (attributes.verb !== 'get') return noOpinion('can only get individual resources of this type');
    if (attributes.subresource !== '') return noOpinion('cannot get subresource');
    return judge(node, attributes);
  };
}

function claim(graph: NodeGraph): Judge {
  const [whole, status] = [get(graph, 'claim'), named(graph, 'claim')];
  return (node, attributes) => {
    if (attributes.subresource !== 'status') return whole(node, attributes);
    return attributes.verb === 'update' || attributes.verb === 'patch'
      ? status(node, attributes)
      : noOpinion('can only get/update/patch this type');
  };
}

function token(graph: NodeGraph): Judge {
  const judge = related(graph, 'account');
  return (node, attributes) => {
    if (attributes.verb !== 'create' || attributes.name === '')
      return noOpinion('can only create tokens for individual service accounts');
    if (attributes.subresource !== 'token')
      return noOpinion('can only create token subresource of serviceaccount');
    return judge(node, attributes);
  };
}

/**
 * True if the object belongs to the node. A create request has no name yet; NodeRestriction checks the name
 * in the object.
 */
const isOwn = (node: string, { verb, name }: Attributes): boolean => verb === 'create' || name === node;

const lease =
  (namespace: string): Judge =>
  (node, attributes) => {
    if (!OWN_VERBS.has(attributes.verb))
      return noOpinion('can only get, create, update, patch, or delete a node lease');
    if (attributes.namespace !== namespace)
      return noOpinion(`can only access leases in the ${JSON.stringify(namespace)} system namespace`);
    return isOwn(node, attributes)
      ? ALLOW
      : noOpinion('can only access node lease with the same name as the requesting node');
  };

const csiNode: Judge = (node, attributes) => {
  if (!OWN_VERBS.has(attributes.verb))
    return noOpinion('can only get, create, update, patch, or delete a CSINode');
  if (attributes.subresource !== '') return noOpinion('cannot authorize CSINode subresources');
  return isOwn(node, attributes)
    ? ALLOW
    : noOpinion('can only access CSINode with the same name as the requesting node');
};
