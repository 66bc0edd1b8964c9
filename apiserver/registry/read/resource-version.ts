import { type ApiError, badRequest, expired, invalid, timeout } from '../../../api/status/api-error.ts';
import { type FieldError, forbiddenField, notSupportedField } from '../../../api/status/field-errors.ts';
import type { Vocabulary } from '../../../api/vocabulary/vocabulary.ts';
import { StorageError } from '../../storage/storage.ts';
import type { ListParameters, WatchParameters } from '../registry.ts';
import type { Resource } from '../resource.ts';

/** How long a read waits for a version the server has not seen yet. */
const PATIENCE_MS = 3_000;

const FIELD = 'resourceVersionMatch';

/** A version as a number; undefined when none is given. Throws 400 for what is no version. */
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

/** Which state a list shows (specification 1, section 4.5). */
export type ListMode =
  { readonly state: 'recent' | 'any' } | { readonly state: 'not-older' | 'exact'; readonly revision: number };

/** The table of specification 1, section 4.5, for a list without continue token. Throws its invalid cells as 422. */
export function listMode(parameters: ListParameters, vocabulary: Vocabulary): ListMode {
  const { resourceVersion, resourceVersionMatch: match, limit } = parameters;
  refuseOptions(listErrors(parameters), vocabulary);
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

/** What `resourceVersionMatch` may stand beside, in the words of release 1.24. */
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

/** Throws 422 for a watch whose options do not go together. */
export function checkWatchOptions(parameters: WatchParameters, vocabulary: Vocabulary): void {
  refuseOptions(
    parameters.sendInitialEvents === undefined ? plainWatchErrors(parameters) : initialErrors(parameters),
    vocabulary,
  );
}

const plainWatchErrors = (parameters: WatchParameters): readonly FieldError[] =>
  parameters.resourceVersionMatch === ''
    ? []
    : [forbiddenField(FIELD, 'resourceVersionMatch is forbidden for watch'), ...matchErrors(parameters)];

/** `sendInitialEvents` is newer than release 1.24, and so are these words. */
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

function refuseOptions(errors: readonly FieldError[], vocabulary: Vocabulary): void {
  if (errors.length > 0) throw invalid({ group: vocabulary.group('meta'), kind: 'ListOptions' }, '', errors);
}

/** Resolves once the cache shows `revision` or a later state. Throws 504 when that takes too long. */
export async function waitForVersion({ cache }: Pick<Resource, 'cache'>, revision: number): Promise<void> {
  if (cache.revision >= revision) return;
  if (!(await cache.reached(revision, PATIENCE_MS))) throw tooLargeVersion(revision, cache.revision);
}

/** True once the cache shows every write committed before the call: reading it then is a consistent read. */
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

/** A read at a version the store does not have; anything else is passed on. */
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
