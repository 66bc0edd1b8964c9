import { badRequest, invalid } from '../../api/status/api-error.ts';
import {
  type FieldError,
  forbiddenField,
  invalidField,
  notSupportedField,
  requiredField,
  tooLongField,
} from '../../api/status/field-errors.ts';
import type { Vocabulary } from '../../api/vocabulary/vocabulary.ts';
import { firstHeader } from '../../base/http/message.ts';
import type {
  DeleteParameters,
  ListParameters,
  PatchMediaType,
  WatchParameters,
  WriteContext,
} from '../registry/registry.ts';
import type { RequestContext } from '../request.ts';
import { isTrue } from './request-info.ts';

const MANAGER_LIMIT = 128;
const FIELD_VALIDATION = ['', 'Ignore', 'Strict', 'Warn'] as const;
const POLICIES: readonly unknown[] = ['Orphan', 'Background', 'Foreground'];

/** A whole number parameter; `absent` when it is missing or empty. Throws 400 in Go's words. */
function integer(query: URLSearchParams, name: string, absent: number): number {
  const text = query.get(name);
  if (text === null || text === '') return absent;
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: value out of range`);
  return value;
}

/** The parameters of a list, of a deletecollection too. `name` is the one demanded by a legacy path, else ''. */
export function listParameters(query: URLSearchParams, namespace: string): ListParameters {
  integer(query, 'timeoutSeconds', 0);
  return {
    namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    limit: integer(query, 'limit', 0),
    continueToken: query.get('continue') ?? '',
  };
}

export function watchParameters(
  query: URLSearchParams,
  namespace: string,
  signal: AbortSignal,
): WatchParameters {
  const initial = query.get('sendInitialEvents');
  integer(query, 'limit', 0);
  return {
    namespace,
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    allowBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendInitialEvents: initial === null ? undefined : isTrue(initial),
    timeoutSeconds: integer(query, 'timeoutSeconds', 0),
    signal,
  };
}

type OptionsKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions';

/** Throws 422 when there is an error. */
function refuse(vocabulary: Vocabulary, kind: OptionsKind, errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalid({ group: vocabulary.group('meta'), kind }, '', errors);
}

/** `dryRun` accepts `All` alone; Go prints the whole list as received. */
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

function managerErrors(manager: string): FieldError[] {
  const errors: FieldError[] = [];
  if (Buffer.byteLength(manager) > MANAGER_LIMIT) errors.push(tooLongField('fieldManager', MANAGER_LIMIT));
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cs}\p{Cn}]/u.test(manager))
    errors.push(invalidField('fieldManager', manager, 'should only contain printable characters'));
  return errors;
}

/** Empty values of `dryRun` mean that side effects are allowed (specification 1, section 4.3). */
const dryRunOf = (query: URLSearchParams): string[] => query.getAll('dryRun').filter((value) => value !== '');

/** What holds for every write: who, dry run, field manager, field validation. Throws 422. */
export function writeContext(
  context: RequestContext,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  vocabulary: Vocabulary,
  patchType?: PatchMediaType,
): WriteContext & { readonly force: boolean } {
  const { query } = context.info;
  const dryRun = dryRunOf(query);
  const manager = query.get('fieldManager') ?? '';
  const validation = query.get('fieldValidation') ?? '';
  const apply = patchType === 'application/apply-patch+yaml';
  const errors: FieldError[] = [];
  if (patchType !== undefined && apply && manager === '')
    errors.push(requiredField('fieldManager', 'is required for apply patch'));
  if (patchType !== undefined && !apply && query.has('force'))
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  errors.push(...managerErrors(manager), ...dryRunErrors(dryRun));
  if (!FIELD_VALIDATION.includes(validation as ''))
    errors.push(notSupportedField('fieldValidation', validation, FIELD_VALIDATION));
  refuse(vocabulary, kind, errors);
  return {
    ...plainWrite(context, dryRun.length > 0, manager),
    fieldValidation: validation === '' ? 'Warn' : (validation as 'Ignore' | 'Warn' | 'Strict'),
    force: isTrue(query.get('force')),
  };
}

function plainWrite(context: RequestContext, dryRun: boolean, manager: string): WriteContext {
  return {
    user: context.user,
    dryRun,
    fieldManager: manager === '' ? managerOfAgent(context) : manager,
    fieldValidation: 'Warn',
    warn: (text) => {
      if (!context.warnings.includes(text)) context.warnings.push(text);
    },
    signal: context.http.signal,
  };
}

/** The first part of the user agent, printable and of bounded length. */
function managerOfAgent(context: RequestContext): string {
  const [first = ''] = (firstHeader(context.http.headers, 'user-agent') ?? '').split('/');
  const printable = first.replace(/[^\x20-\x7e]/g, '');
  return printable.slice(0, MANAGER_LIMIT);
}

export interface DeleteRequest {
  readonly parameters: DeleteParameters;
  readonly write: WriteContext;
  /** The client set `orphanDependents: false`: it asks to be told when the object is not gone at once (202). */
  readonly cascading: boolean;
}

/** The options of a delete, from the body when there is one, else from the query. Throws 400, 422. */
export function deleteRequest(context: RequestContext, body: unknown, vocabulary: Vocabulary): DeleteRequest {
  const { query } = context.info;
  const given = body === undefined ? deleteOptionsOfQuery(query) : deleteOptionsOfBody(body, vocabulary);
  const errors = dryRunErrors(given.dryRun);
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
  refuse(vocabulary, 'DeleteOptions', errors);
  const policy =
    given.policy ?? (given.orphan === undefined ? undefined : given.orphan ? 'Orphan' : 'Background');
  return {
    parameters: {
      preconditions: given.preconditions,
      gracePeriodSeconds: given.gracePeriodSeconds,
      propagationPolicy: policy as DeleteParameters['propagationPolicy'],
    },
    write: plainWrite(context, given.dryRun.length > 0, ''),
    cascading: given.orphan === false,
  };
}

interface GivenOptions {
  readonly dryRun: readonly unknown[];
  readonly preconditions: DeleteParameters['preconditions'];
  readonly gracePeriodSeconds: number | undefined;
  readonly policy: string | undefined;
  readonly orphan: boolean | undefined;
}

function deleteOptionsOfQuery(query: URLSearchParams): GivenOptions {
  const grace = integer(query, 'gracePeriodSeconds', Number.NaN);
  const policy = query.get('propagationPolicy');
  return {
    dryRun: dryRunOf(query),
    preconditions: {},
    gracePeriodSeconds: Number.isNaN(grace) ? undefined : grace,
    policy: policy === null || policy === '' ? undefined : policy,
    orphan: query.has('orphanDependents') ? isTrue(query.get('orphanDependents')) : undefined,
  };
}

function deleteOptionsOfBody(body: unknown, vocabulary: Vocabulary): GivenOptions {
  const fields = body as Readonly<Record<string, unknown>>;
  const { kind, apiVersion, preconditions } = fields;
  if (kind !== undefined && kind !== '' && kind !== 'DeleteOptions')
    throw badRequest(
      `no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(apiVersion ?? '')} in scheme ${JSON.stringify(`${vocabulary.groupSuffix}/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27`)}`,
    );
  const conditions = optional(preconditions, 'preconditions', isRecord) ?? {};
  const uid = optional(conditions['uid'], 'preconditions.uid', isString);
  const resourceVersion = optional(conditions['resourceVersion'], 'preconditions.resourceVersion', isString);
  return {
    dryRun: optional(fields['dryRun'], 'dryRun', isList) ?? [],
    preconditions: {
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    gracePeriodSeconds: optional(fields['gracePeriodSeconds'], 'gracePeriodSeconds', isInteger),
    policy: optional(fields['propagationPolicy'], 'propagationPolicy', isString),
    orphan: optional(fields['orphanDependents'], 'orphanDependents', isBoolean),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isInteger = (value: unknown): value is number => Number.isSafeInteger(value);
const isList = (value: unknown): value is unknown[] => Array.isArray(value);

/** A field of the options when it is there (null is not) and of its type. Throws 400. */
function optional<T>(value: unknown, field: string, is: (value: unknown) => value is T): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (is(value)) return value;
  throw badRequest(
    `DeleteOptions in version "v1" cannot be handled as a DeleteOptions: json: cannot unmarshal ${Array.isArray(value) ? 'array' : typeof value} into Go struct field DeleteOptions.${field}`,
  );
}
