import type { AnyKind, Scheme } from '../../../api/kinds/index.ts';
import { badRequest } from '../../../api/status/index.ts';
import { whenThere } from '../../../base/async/index.ts';
import { type HttpResponse, MalformedPath } from '../../../base/http/index.ts';
import { objectKey, storagePrefix } from '../../registry/resource.ts';
import {
  FACT_NAMES,
  type Fact,
  type WriteCondition,
  createWriteConditions,
} from '../../registry/write/write-conditions.ts';
import type { Authorizer, RequestContext, RequestInfo } from '../../request.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Next, Stage } from '../pipeline.ts';
import { parseRequestInfo } from '../request/request-info.ts';
import { attributesOf, authorize } from './authorization.ts';

/** Dependencies of `createWriteConditionsStage`. */
export interface WriteConditionsOptions {
  /** All stored kinds, including custom kinds. */
  readonly scheme: Scheme;
  readonly storage: Pick<Storage, 'get'>;
  /**
   * Authorizer for the objects in conditions. The user must be allowed to get them, as the response reveals
   * their state.
   */
  readonly authorizer: Authorizer;
}

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
/** Paths of discovery documents, whose response headers list the supported conditions. */
const ROOTS: ReadonlySet<string> = new Set(['/api', '/apis']);
const MAX_CONDITIONS = 8;

/**
 * Creates the stage that executes a write only while the conditions in its header hold. They are checked
 * atomically with the write. Example:
 *
 *     x-orch-write-while: /apis/coordination.orch.io/v1/namespaces/a/leases/b?uid=…&holder=me&transitions=3
 *
 * Each condition is the path of an object with required properties as its query. Commas separate several
 * conditions. If a condition does not hold, the write is rejected with 409. A malformed header is rejected
 * with 400. See docs/decisions/0002-writes-under-conditions.md.
 */
export function createWriteConditionsStage(options: WriteConditionsOptions): Stage {
  const header = options.scheme.vocabulary.header('write-while');
  const offered = { [header]: FACT_NAMES.join(', ') };
  const announced = (response: HttpResponse): HttpResponse => ({
    ...response,
    headers: { ...response.headers, ...offered },
  });
  const run = async (
    context: RequestContext,
    given: readonly string[],
    next: Next,
  ): Promise<HttpResponse> => {
    const conditions = readConditions(given, header, options.scheme);
    for (const { info } of conditions)
      await authorize(options.authorizer, attributesOf({ user: context.user, info }));
    context.conditions = createWriteConditions(options.storage, conditions);
    // Checked before any other work of the write. A dry run stores nothing, so this is its only check.
    await context.conditions.held();
    return next(context);
  };
  return {
    name: 'write conditions',
    run(context, next) {
      const { info, http } = context;
      if (!info.isResourceRequest)
        return ROOTS.has(info.path) ? whenThere(next(context), announced) : next(context);
      const given = http.headers[header];
      return given === undefined || READS.has(info.verb) ? next(context) : run(context, given, next);
    },
  };
}

type ReadCondition = WriteCondition & { readonly info: RequestInfo };

/** Parses the header into conditions. Throws a 400 if it is malformed. */
function readConditions(given: readonly string[], header: string, scheme: Scheme): readonly ReadCondition[] {
  const texts = given.flatMap((value) => value.split(',')).map((text) => text.trim());
  const bad = (why: string): Error => badRequest(`invalid header ${header}: ${why}`);
  if (texts.length > MAX_CONDITIONS)
    throw bad(`at most ${MAX_CONDITIONS} conditions are accepted, got ${texts.length}`);
  return texts.map((text) => {
    const info = infoOf(text);
    const kind = info && scheme.byResource(info.group, info.version, info.resource);
    if (info === undefined || kind === undefined || kind.virtual || !isObject(info, kind))
      throw bad(`expected the path of a stored object, got ${JSON.stringify(text)}`);
    const name = { group: info.group, resource: info.resource };
    const key = objectKey({ kind, prefix: storagePrefix(scheme, kind) }, info.namespace, info.name);
    return { info, key, resource: name, name: info.name, facts: factsOf(info, kind, bad) };
  });
}

function infoOf(text: string): RequestInfo | undefined {
  try {
    return parseRequestInfo('GET', text);
  } catch (thrown) {
    if (thrown instanceof MalformedPath) return undefined;
    throw thrown;
  }
}

const isObject = (info: RequestInfo, kind: AnyKind): boolean =>
  info.verb === 'get' && info.subresource === '' && (!kind.namespaced || info.namespace !== '');

function factsOf(
  { query }: RequestInfo,
  kind: AnyKind,
  bad: (why: string) => Error,
): ReadonlyMap<Fact, string> {
  const isLease = kind.group === 'coordination' && kind.plural === 'leases';
  const known = isLease ? FACT_NAMES : FACT_NAMES.slice(0, 2);
  const facts = new Map<Fact, string>();
  for (const [name, value] of query) {
    const fact = known.find((each) => each === name);
    if (fact === undefined || value === '')
      throw bad(
        `conditions on ${kind.plural} accept ${known.join(', ')}, got ${JSON.stringify(`${name}=${value}`)}`,
      );
    facts.set(fact, value);
  }
  if (facts.size === 0) throw bad(`a condition on ${kind.plural} needs one of ${known.join(', ')}`);
  return facts;
}
