import {
  type FieldError,
  badRequest,
  forbiddenField,
  invalid,
  invalidField,
  notSupportedField,
  requiredField,
  unexplained,
} from '../../../api/status/index.ts';
import type { Whole } from '../../../api/kinds/index.ts';
import { DecodeError, type Int64, decode } from '../../../api/schema/index.ts';
import { MANAGER_LIMIT, validateManager } from '../../../api/validation/index.ts';
import { DeleteOptions } from '../../../api/types/meta-v1.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { firstHeader } from '../../../base/http/index.ts';
import type {
  DeleteParameters,
  ListParameters,
  PatchMediaType,
  WatchParameters,
  WriteContext,
} from '../../registry/registry.ts';
import { wholeContext } from '../../registry/write/write-context.ts';
import type { RequestContext } from '../../request.ts';
import { budgetOf } from './request-budget.ts';
import { isTrue } from './request-info.ts';

const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'] as const;
const POLICIES: readonly unknown[] = ['Orphan', 'Background', 'Foreground'];

/**
 * Parses a 64-bit integer parameter. Returns `absent` if the parameter is missing. Throws a 400 with Go's
 * message if its value is empty or malformed.
 */
function integer(query: URLSearchParams, name: string, absent: number): number {
  const text = query.get(name);
  if (text === null) return absent;
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  if (!isInt64(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return Number(text);
}

/**
 * True if the integer fits 64 bits. The check is exact beyond the precision of doubles, and never converts
 * thousands of digits to a `BigInt`.
 */
function isInt64(digits: string): boolean {
  const value = Number(digits);
  if (Number.isSafeInteger(value)) return true;
  if (Math.abs(value) > 2 ** 63) return false;
  return BigInt.asIntN(64, BigInt(digits)) === BigInt(digits);
}

/** Returns the parameters of a list or deletecollection. */
export function listParameters(query: URLSearchParams, namespace: string): ListParameters {
  integer(query, 'timeoutSeconds', 0);
  const initial = query.get('sendInitialEvents');
  return {
    namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: integer(query, 'limit', 0),
    continueToken: query.get('continue') ?? '',
    ...(initial === null ? {} : { sendInitialEvents: isTrue(initial) }),
  };
}

/** Parameters of a watch that are not in its query. */
type StreamParameters = Pick<
  WatchParameters,
  'namespace' | 'signal' | 'onStarted' | 'transform' | 'framing'
> & {
  /** Returns the field selector combined with the name in the path. */
  readonly selected: (fieldSelector: string) => string;
};

/**
 * Returns the parameters of a watch. All members are assigned at once, so that the parameters of all watches
 * share a hidden class.
 */
export function watchParameters(query: URLSearchParams, stream: StreamParameters): WatchParameters {
  const initial = query.get('sendInitialEvents');
  integer(query, 'limit', 0);
  return {
    namespace: stream.namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: stream.selected(query.get('fieldSelector') ?? ''),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    continueToken: query.get('continue') ?? '',
    timeoutSeconds: integer(query, 'timeoutSeconds', 0),
    signal: stream.signal,
    onStarted: stream.onStarted,
    transform: stream.transform,
    framing: stream.framing,
  } satisfies Whole<WatchParameters>;
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** Throws a 422 if there are errors. */
function rejectInvalid(vocabulary: Vocabulary, kind: OptionsKind, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: vocabulary.group('meta'), kind }, '', errors);
}

/**
 * Returns the errors of `dryRun`, which accepts only `All`. The message contains the whole list, as Go prints
 * it.
 */
function dryRunErrors(values: readonly unknown[]): FieldError[] {
  if (values.every((value) => value === 'All')) return [];
  const received = `[]string{${values.map((value) => JSON.stringify(value)).join(', ')}}`;
  return [
    {
      type: 'FieldValueNotSupported',
      field: 'dryRun',
      message: `Unsupported value: ${received}: supported values: "All"`,
    },
  ];
}

/**
 * Returns the values of `dryRun`. A parameter without `=` (`?dryRun`) has no effect; `dryRun=` has an empty,
 * invalid value (https://kubernetes.io/docs/reference/using-api/api-concepts/#dry-run).
 */
function dryRunOf({ info, http }: RequestContext): string[] {
  const values = info.query.getAll('dryRun');
  if (!values.includes('')) return values;
  const given = values.filter((value) => value !== '');
  return /[?&]dryRun=(?:&|$)/.test(http.url) ? [...given, ''] : given;
}

/**
 * Returns the context of a write: user, dry run, field manager and field validation. Throws a 422 for invalid
 * options.
 */
export function writeContext(
  context: RequestContext,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  vocabulary: Vocabulary,
  patchType?: PatchMediaType,
): WriteContext {
  const { query } = context.info;
  const dryRun = dryRunOf(context);
  const manager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  const apply = patchType === 'application/apply-patch+yaml';
  const errors: FieldError[] = [];
  if (patchType !== undefined && apply && manager === '')
    errors.push(requiredField('fieldManager', 'is required for apply patch'));
  if (patchType !== undefined && !apply && query.has('force'))
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  errors.push(...validateManager(manager, 'fieldManager'), ...dryRunErrors(dryRun));
  if (!FIELD_VALIDATION.includes(validation as ''))
    errors.push(notSupportedField('fieldValidation', validation, FIELD_VALIDATION));
  rejectInvalid(vocabulary, kind, errors);
  const options: { [field: string]: unknown } = {};
  if (dryRun.length > 0) options['dryRun'] = dryRun;
  if (manager !== '') options['fieldManager'] = manager;
  if (validation !== '') options['fieldValidation'] = validation;
  return plainWrite(context, options, {
    dryRun: dryRun.length > 0,
    manager,
    fieldValidation: validation === '' ? 'Warn' : (validation as WriteContext['fieldValidation']),
    force: isTrue(query.get('force')),
  });
}

function plainWrite(
  context: RequestContext,
  options: NonNullable<WriteContext['options']>,
  given: {
    readonly dryRun: boolean;
    readonly manager: string;
    readonly fieldValidation: WriteContext['fieldValidation'];
    readonly force: boolean;
  },
): WriteContext {
  const { dryRun, manager, fieldValidation, force } = given;
  return wholeContext({
    user: context.user,
    dryRun,
    fieldManager: manager === '' ? managerOfAgent(context) : manager,
    fieldValidation,
    force,
    emptied: new Set(),
    warn: warnerOf(context),
    annotate: (key, value, least) => context.audit.annotate(key, value, least),
    waited: (ms) => void (context.waitedMs = (context.waitedMs ?? 0) + ms),
    dueMs: context.dueMs,
    received:
      context.audit.level === 'None' ? undefined : (object, whole) => context.audit.request(object, whole),
    options,
    conditions: context.conditions,
    signal: context.http.cancellation ?? context.http.signal,
    budget: budgetOf(context),
  });
}

/**
 * Returns a function that adds each warning once. It uses a set because a body can cause as many warnings as
 * it has items.
 */
function warnerOf({ warnings }: RequestContext): (text: string) => void {
  let known: Set<string> | undefined;
  return (text) => {
    known ??= new Set(warnings);
    if (known.has(text)) return;
    known.add(text);
    warnings.push(text);
  };
}

/** Returns the first part of the user agent, without unprintable characters and limited in length. */
function managerOfAgent(context: RequestContext): string {
  const agent = firstHeader(context.http.headers, 'user-agent') ?? '';
  const slash = agent.indexOf('/');
  const first = slash < 0 ? agent : agent.slice(0, slash);
  const printable = /[^\x20-\x7e]/.test(first) ? first.replace(/[^\x20-\x7e]/g, '') : first;
  return printable.slice(0, MANAGER_LIMIT);
}

/** Decoded options of a delete. */
export interface DeleteRequest {
  readonly parameters: DeleteParameters;
  readonly write: WriteContext;
  /**
   * True if the client has set `orphanDependents: false`. The response is then 202 if the object is not
   * deleted at once.
   */
  readonly cascading: boolean;
}

/**
 * Reads the options of a delete from the body if there is one, else from the query. A dry run can be
 * requested in either place, so that a request meant as a dry run never deletes. Throws a 400, 422 or 500.
 */
export function deleteRequest(context: RequestContext, body: unknown, vocabulary: Vocabulary): DeleteRequest {
  const given = body === undefined ? deleteOptionsOfQuery(context) : deleteOptionsOfBody(body, vocabulary);
  const dryRun = body === undefined ? given.dryRun : [...given.dryRun, ...dryRunOf(context)];
  const errors = dryRunErrors(dryRun);
  if (given.orphan !== undefined && given.policy !== undefined)
    errors.push(
      invalidField(
        'propagationPolicy',
        given.policy,
        'orphanDependents and deletionPropagation cannot be both set',
      ),
    );
  if (given.policy !== undefined && !POLICIES.includes(given.policy))
    errors.push({
      type: 'FieldValueNotSupported',
      field: 'propagationPolicy',
      message: `Unsupported value: ${JSON.stringify(given.policy)}: supported values: "Foreground", "Background", "Orphan", "nil"`,
    });
  rejectInvalid(vocabulary, 'DeleteOptions', errors);
  const policy =
    given.policy ?? (given.orphan === undefined ? undefined : given.orphan ? 'Orphan' : 'Background');
  return {
    parameters: {
      preconditions: given.preconditions,
      gracePeriodSeconds: given.gracePeriodSeconds,
      propagationPolicy: policy as DeleteParameters['propagationPolicy'],
    },
    write: plainWrite(
      context,
      {
        ...(given.gracePeriodSeconds !== undefined && { gracePeriodSeconds: given.gracePeriodSeconds }),
        ...(Object.keys(given.preconditions).length > 0 && { preconditions: given.preconditions }),
        ...(given.orphan !== undefined && { orphanDependents: given.orphan }),
        ...(given.policy !== undefined && { propagationPolicy: given.policy }),
        ...(dryRun.length > 0 && { dryRun }),
      },
      { dryRun: dryRun.length > 0, manager: '', fieldValidation: 'Warn', force: false },
    ),
    cascading: given.orphan === false,
  };
}

interface GivenOptions {
  readonly dryRun: readonly unknown[];
  readonly preconditions: DeleteParameters['preconditions'];
  readonly gracePeriodSeconds: Int64 | undefined;
  readonly policy: string | undefined;
  readonly orphan: boolean | undefined;
}

function deleteOptionsOfQuery(context: RequestContext): GivenOptions {
  const { query } = context.info;
  const grace = integer(query, 'gracePeriodSeconds', Number.NaN);
  const policy = query.get('propagationPolicy');
  const [uid, resourceVersion] = [query.get('uid'), query.get('resourceVersion')];
  return {
    dryRun: dryRunOf(context),
    preconditions: { ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
    gracePeriodSeconds: Number.isNaN(grace) ? undefined : grace,
    policy: policy === null || policy === '' ? undefined : policy,
    orphan: query.has('orphanDependents') ? isTrue(query.get('orphanDependents')) : undefined,
  };
}

function deleteOptionsOfBody(body: unknown, vocabulary: Vocabulary): GivenOptions {
  const { kind, apiVersion } = body as Readonly<Record<string, unknown>>;
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions')
    throw unexplained(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? '')} in scheme ${JSON.stringify(`${vocabulary.groupSuffix}/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27`)}`,
    );
  const options = decodedOptions(body as object);
  const { uid, resourceVersion } = options.preconditions ?? {};
  return {
    dryRun: options.dryRun ?? [],
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    gracePeriodSeconds: options.gracePeriodSeconds,
    policy: options.propagationPolicy,
    orphan: options.orphanDependents,
  };
}

/** Decodes `DeleteOptions`. Throws a 500 with the decoder's message, as upstream does. */
function decodedOptions(body: object): DeleteOptions {
  try {
    return decode<DeleteOptions>(DeleteOptions, { ...body }).value;
  } catch (thrown) {
    throw thrown instanceof DecodeError ? unexplained(thrown.message) : thrown;
  }
}
