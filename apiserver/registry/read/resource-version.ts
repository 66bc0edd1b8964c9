import {
  type ApiError,
  type FieldError,
  badRequest,
  expired,
  forbiddenField,
  invalid,
  notSupportedField,
  timeout,
} from '../../../api/status/index.ts';
import type { Vocabulary } from '../../../api/vocabulary/index.ts';
import { StorageError } from '../../storage/storage.ts';
import type { ListParameters, WatchParameters } from '../registry.ts';
import type { Resource } from '../resource.ts';

/**
 * Maximum time that a read waits for a resource version that the server has not reached yet, in milliseconds.
 */
const PATIENCE_MS = 3_000;

const FIELD = 'resourceVersionMatch';

/**
 * Parses a resource version; returns undefined for ''. Throws `ApiError` with code 400 if it is malformed.
 */
export function parseVersion(text: string): number | undefined {
  if (text === '') return undefined;
  const version = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(version)) return version;
  const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
  const quoted = JSON.stringify(text);
  throw badRequest(
    `invalid resource version: resourceVersion: Invalid value: ${quoted}: strconv.ParseUint: parsing ${quoted}: ${why}`,
  );
}

/**
 * State that a list returns: consistent, any cached state, not older than a revision, or exactly at a
 * revision.
 */
export type ListMode =
  { readonly state: 'recent' | 'any' } | { readonly state: 'not-older' | 'exact'; readonly revision: number };

/**
 * Returns the state for a list without a continue token, by the table in
 * https://kubernetes.io/docs/reference/using-api/api-concepts/#resource-versions. Throws `ApiError` with code
 * 422 for combinations that the table calls invalid.
 */
export function listMode(parameters: ListParameters, vocabulary: Vocabulary): ListMode {
  const { resourceVersion, resourceVersionMatch: match, limit } = parameters;
  rejectOptions(listErrors(parameters), vocabulary);
  const revision = parseVersion(resourceVersion);
  if (revision === undefined) return { state: 'recent' };
  if (revision === 0) return { state: 'any' };
  if (match === 'Exact' || (match === '' && limit > 0)) return { state: 'exact', revision };
  return { state: 'not-older', revision };
}

function listErrors({ sendInitialEvents, ...parameters }: ListParameters): FieldError[] {
  const errors = matchErrors(parameters);
  if (sendInitialEvents !== undefined)
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

type Versioned = Pick<ListParameters, 'resourceVersion' | 'resourceVersionMatch'> & {
  readonly continueToken?: string;
};

/**
 * Returns the errors of `resourceVersionMatch` combined with the other parameters, in the words of release
 * 1.24.
 */
function matchErrors({
  resourceVersion,
  resourceVersionMatch: match,
  continueToken = '',
}: Versioned): FieldError[] {
  if (match === '') return [];
  const errors: FieldError[] = [];
  if (resourceVersion === '')
    errors.push(
      forbiddenField(FIELD, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    );
  if (continueToken !== '') errors.push(FORBIDDEN_WITH_CONTINUE);
  if (match !== 'Exact' && match !== 'NotOlderThan')
    errors.push(notSupportedField(FIELD, match, ['Exact', 'NotOlderThan', '']));
  if (match === 'Exact' && resourceVersion === '0')
    errors.push(forbiddenField(FIELD, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  return errors;
}

const FORBIDDEN_WITH_CONTINUE = forbiddenField(
  FIELD,
  'resourceVersionMatch is forbidden when continue is provided',
);

/** Throws `ApiError` with code 422 if the options of a watch cannot be combined. */
export function checkWatchOptions(parameters: WatchParameters, vocabulary: Vocabulary): void {
  rejectOptions(
    parameters.sendInitialEvents === undefined ? plainWatchErrors(parameters) : initialErrors(parameters),
    vocabulary,
  );
}

const plainWatchErrors = (parameters: WatchParameters): readonly FieldError[] =>
  parameters.resourceVersionMatch === ''
    ? []
    : [forbiddenField(FIELD, 'resourceVersionMatch is forbidden for watch'), ...matchErrors(parameters)];

/**
 * Returns the errors for `sendInitialEvents`. The parameter and its error messages are newer than release
 * 1.24.
 */
function initialErrors({ resourceVersionMatch: match, continueToken = '' }: WatchParameters): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== 'NotOlderThan')
    errors.push(
      forbiddenField(FIELD, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  if (match !== '' && match !== 'NotOlderThan')
    errors.push(notSupportedField(FIELD, match, ['NotOlderThan']));
  if (match !== '' && continueToken !== '') errors.push(FORBIDDEN_WITH_CONTINUE);
  return errors;
}

function rejectOptions(errors: readonly FieldError[], vocabulary: Vocabulary): void {
  if (errors.length > 0) throw invalid({ group: vocabulary.group('meta'), kind: 'ListOptions' }, '', errors);
}

/** Resolves once the cache has reached `revision`. Rejects with a 504 after `PATIENCE_MS`. */
export async function waitForVersion({ cache }: Pick<Resource, 'cache'>, revision: number): Promise<void> {
  if (cache.revision >= revision) return;
  if (!(await cache.reached(revision, PATIENCE_MS))) throw tooLargeVersion(revision, cache.revision);
}

/**
 * Resolves with true once the cache contains every write committed before the call, so that a read of the
 * cache is consistent. Resolves with false after `PATIENCE_MS`.
 */
export async function showsPresent({
  cache,
  storage,
}: Pick<Resource, 'cache' | 'storage'>): Promise<boolean> {
  const revision = await storage.revision();
  return cache.revision >= revision || (await cache.reached(revision, PATIENCE_MS));
}

const tooLargeVersion = (wanted: number, current: number): ApiError =>
  timeout(`Too large resource version: ${wanted}, current: ${current}`, 1, [
    { reason: 'ResourceVersionTooLarge', message: 'Too large resource version' },
  ]);

/** Returns the `ApiError` for a revision that the store does not have, and other errors unchanged. */
export function interpretExactRead(
  thrown: unknown,
  revision: number,
  current: number,
  onCompacted: () => ApiError = () => expired('The resourceVersion for the provided list is too old.'),
): unknown {
  if (!(thrown instanceof StorageError)) return thrown;
  if (thrown.code === 'ERR_COMPACTED') return onCompacted();
  return thrown.code === 'ERR_FUTURE_REVISION' ? tooLargeVersion(revision, current) : thrown;
}
