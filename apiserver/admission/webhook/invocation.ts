import type { AnyKind, DeepReadonly } from '../../../api/kinds/index.ts';
import { internalError } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { AdmissionRequest, ObjectKind } from '../../request.ts';
import type { Equivalents } from './equivalents.ts';
import type { Webhook } from './hook.ts';
import { type RuleSubject, matchesRule } from './rules.ts';
import { type NamespaceReader, matchesNamespace, matchesObject, namespaceOf } from './selectors.ts';

type Request = DeepReadonly<AdmissionRequest>;

/** Webhook to call, and the resource and kind that the review contains. */
export interface Invocation {
  readonly hook: Webhook;
  /** Resource in the review: the resource of the request, or an equivalent resource that a rule matches. */
  readonly resource: AnyKind;
  /** Kind of the object in the review. */
  readonly objectKind: ObjectKind;
}

/** Vocabulary, reader of namespaces and equivalent kinds for matching. */
export interface InvocationOptions {
  readonly vocabulary: Vocabulary;
  readonly namespaces: NamespaceReader;
  readonly equivalents: Equivalents;
}

/**
 * Function that returns how to call a webhook for a request, or undefined if the webhook does not match.
 * Throws if this cannot be determined.
 */
export type Invoke = (hook: Webhook, request: Request) => Promise<Invocation | undefined>;

const subjectOf = (vocabulary: Vocabulary, request: Request, kind: AnyKind): RuleSubject => ({
  operation: request.operation,
  group: vocabulary.group(kind.group),
  version: kind.version,
  resource: kind.plural,
  subresource: request.subresource,
  namespace: namespaceOf(request),
});

/**
 * True for webhook configurations. Webhooks are not called for these, as the configuration of a broken
 * webhook could otherwise not be deleted.
 */
export const isExempt = ({ kind }: Pick<Request, 'kind'>): boolean =>
  kind.group === 'admissionregistration' &&
  (kind.plural === 'mutatingwebhookconfigurations' || kind.plural === 'validatingwebhookconfigurations');

/** Creates the function that matches webhooks. */
export function createInvoke({ vocabulary, namespaces, equivalents }: InvocationOptions): Invoke {
  function byRules(hook: Webhook, request: Request): Invocation | undefined {
    const kind = request.kind as AnyKind;
    const own = subjectOf(vocabulary, request, kind);
    if (hook.rules.some((rule) => matchesRule(rule, own)))
      return { hook, resource: kind, objectKind: request.requestKind };
    if (hook.matchPolicy !== 'Equivalent') return undefined;
    const others = equivalents.of(kind).filter((each) => each !== kind);
    // The first rule that matches any equivalent resource decides.
    for (const rule of hook.rules)
      for (const other of others) {
        if (!matchesRule(rule, subjectOf(vocabulary, request, other))) continue;
        const objectKind = equivalents.kindAt(other, request.subresource);
        if (objectKind === undefined)
          throw internalError(
            `unable to convert to ${vocabulary.group(other.group)}/${other.version}, Resource=${other.plural}: unknown kind`,
          );
        return { hook, resource: other, objectKind };
      }
    return undefined;
  }

  return async (hook, request) => {
    const invocation = byRules(hook, request);
    if (invocation === undefined || !matchesObject(hook.objectSelector, request)) return undefined;
    return (await matchesNamespace(hook.namespaceSelector, request, namespaces)) ? invocation : undefined;
  };
}
