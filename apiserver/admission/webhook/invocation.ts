import type { AnyKind, DeepReadonly } from '../../../api/kinds/index.ts';
import { internalError } from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import type { AdmissionRequest, ObjectKind } from '../../request.ts';
import type { Equivalents } from './equivalents.ts';
import type { Webhook } from './hook.ts';
import { type RuleSubject, matchesRule } from './rules.ts';
import { type NamespaceReader, matchesNamespace, matchesObject, namespaceOf } from './selectors.ts';

type Request = DeepReadonly<AdmissionRequest>;

/** A webhook that is to be asked, and as what the request is put to it. */
export interface Invocation {
  readonly hook: Webhook;
  /** The resource it is told: that of the request, or one that its rules name instead. */
  readonly resource: AnyKind;
  /** What the object it is told is of. */
  readonly objectKind: ObjectKind;
}

export interface InvocationOptions {
  readonly vocabulary: Vocabulary;
  readonly namespaces: NamespaceReader;
  readonly equivalents: Equivalents;
}

/** Whether a webhook is to be asked about a request, and as what. Throws what keeps that from being known. */
export type Invoke = (hook: Webhook, request: Request) => Promise<Invocation | undefined>;

const subjectOf = (vocabulary: Vocabulary, request: Request, kind: AnyKind): RuleSubject => ({
  operation: request.operation,
  group: vocabulary.group(kind.group),
  version: kind.version,
  resource: kind.plural,
  subresource: request.subresource,
  namespace: namespaceOf(request),
});

/** Webhook configurations are nobody's to hold up: who holds them up could not be taken away again. */
export const isExempt = ({ kind }: Pick<Request, 'kind'>): boolean =>
  kind.group === 'admissionregistration' &&
  (kind.plural === 'mutatingwebhookconfigurations' || kind.plural === 'validatingwebhookconfigurations');

export function createInvoke({ vocabulary, namespaces, equivalents }: InvocationOptions): Invoke {
  function byRules(hook: Webhook, request: Request): Invocation | undefined {
    const kind = request.kind as AnyKind;
    const own = subjectOf(vocabulary, request, kind);
    if (hook.rules.some((rule) => matchesRule(rule, own)))
      return { hook, resource: kind, objectKind: request.requestKind };
    if (hook.matchPolicy !== 'Equivalent') return undefined;
    const others = equivalents.of(kind).filter((each) => each !== kind);
    // Rules go before resources: what stands first among them is what it is told.
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
