import type { ApiObject, StrategyContext } from '../../api/kinds/kind.ts';
import { cloneJson } from '../../api/schema/own.ts';
import { ApiError, alreadyExists, invalid } from '../../api/status/api-error.ts';
import type { FieldErrors } from '../../api/status/field-errors.ts';
import { type MetadataRules, validateObjectMeta } from '../../api/validation/metadata.ts';
import { validatePrivileges } from '../../api/validation/privileged.ts';
import { inSteps, part } from '../../base/budget/steps.ts';
import { charged } from '../../base/budget/work-budget.ts';
import { unstampResourceVersion } from '../storage/stamp.ts';
import { StorageConflict, type Stored } from '../storage/storage.ts';
import { type AdmissionSubject, admit, mutate, whileAllocated } from './admission-chain.ts';
import { applyAllDefaults, decodeBody } from './decoding.ts';
import { forgetApplication, trackUpdate } from './field-tracking.ts';
import { placeInNamespace, prepareMetadataForCreate } from './preparation.ts';
import type { WriteContext, WriteResult } from './registry.ts';
import { dropRepeatedOwners } from './repeated-owners.ts';
import { EncodedBytes, type Resource, objectKey, parseObject, strategyContext } from './resource.ts';
import { storedBytes } from './serialisation.ts';

/** POST to a collection. */
export async function createObject(
  resource: Resource,
  namespace: string,
  body: unknown,
  context: WriteContext,
): Promise<WriteResult> {
  const { budget } = context;
  if (budget?.isDue) await budget.pause();
  const decoded = inSteps(budget, () => decodeBody(resource, body, context));
  const object = decoded instanceof Promise ? await decoded : decoded;
  charged(budget, () => {
    placeInNamespace(resource, object, namespace);
    dropRepeatedOwners(object, context, '');
    tellReceived(resource, object, context);
  });
  return createDecoded(resource, namespace, object, context);
}

/** Tells who listens what a request brought. */
export const tellReceived = (resource: Resource, object: ApiObject, context: WriteContext): void =>
  context.received?.(object, () => {
    const whole = cloneJson(object);
    applyAllDefaults(resource.kind, whole, strategyContext(resource, context.user));
    return whole;
  });

/**
 * The write path of a new object from defaulting on; a PUT to a missing name joins here, and an apply, for which it is
 * recorded (`tracked`) who owns what.
 */
export async function createDecoded(
  resource: Resource,
  namespace: string,
  object: ApiObject,
  context: WriteContext,
  { tracked = false } = {},
): Promise<WriteResult> {
  const { kind } = resource;
  const { budget } = context;
  const strategyInput = strategyContext(resource, context.user);
  if (budget?.isDue) await budget.pause();
  charged(budget, () => applyAllDefaults(kind, object, strategyInput));
  if (budget?.isDue) await budget.pause();
  if (!tracked) charged(budget, () => trackUpdate(resource, '', undefined, object, context));
  const subject = (): AdmissionSubject => ({
    operation: 'CREATE',
    namespace,
    name: object.metadata?.name ?? '',
    subresource: '',
    object,
    previous: undefined,
  });
  if (budget?.isDue) await budget.pause();
  if (await charged(budget, () => mutate(resource, subject(), context)))
    charged(budget, () => {
      applyAllDefaults(kind, object, strategyInput);
      forgetApplication(object);
      placeInNamespace(resource, object, namespace);
    });
  if (budget?.isDue) await budget.pause();
  charged(budget, () => prepare(resource, object, strategyInput, context));
  const errors = inSteps(budget, () => errorsOf(resource, object, strategyInput));
  refuse(resource, object.metadata?.name ?? '', errors instanceof Promise ? await errors : errors, context);
  charged(budget, () => warnOf(resource, object, strategyInput, context));
  if (budget?.isDue) await budget.pause();
  return whileAllocated(resource, subject(), context, async () => {
    await charged(budget, () => admit(resource, subject(), context));
    if (budget?.isDue) await budget.pause();
    return store(resource, namespace, object, context);
  });
}

/** Fills in what the server decides. */
function prepare(resource: Resource, object: ApiObject, input: StrategyContext, context: WriteContext): void {
  dropRepeatedOwners(object, context, ' after mutating admission happens');
  prepareMetadataForCreate(resource, object);
  resource.kind.strategy.prepareForCreate?.(object, input);
}

/** All errors of a new object. Has no effects: it may be run in steps. */
function errorsOf(resource: Resource, object: ApiObject, input: StrategyContext): FieldErrors {
  const { kind, allowPrivileged } = resource;
  const { strategy } = kind;
  return [
    ...part(() => validateObjectMeta(object.metadata, metadataRules(resource))),
    ...part(() => strategy.validate?.(object, input) ?? []),
    ...(allowPrivileged ? [] : part(() => validatePrivileges(kind, object))),
    ...part(() => strategy.validateCreate?.(object, input) ?? []),
  ];
}

function warnOf({ kind }: Resource, object: ApiObject, input: StrategyContext, { warn }: WriteContext): void {
  for (const text of kind.strategy.warnings?.(object, undefined, input) ?? []) warn(text);
}

export const metadataRules = ({ kind, scheme }: Resource): MetadataRules => ({
  namespaced: kind.namespaced,
  nameRule: kind.nameRule,
  ...(kind.anyFinalizer ? {} : { namespaceFinalizer: scheme.vocabulary.namespaceFinalizer }),
});

/** Throws 422 when there is anything to complain about. */
export function refuse(
  { kindName }: Resource,
  name: string,
  errors: FieldErrors,
  { emptied }: Pick<WriteContext, 'emptied'>,
): void {
  if (errors.length > 0) throw invalid(kindName, name, emptied?.size ? asGiven(errors, emptied) : errors);
}

/** What the body says to be empty is shown to be so: decoding has left it out, as if it had not been given. */
const asGiven = (errors: FieldErrors, emptied: ReadonlySet<string>): FieldErrors =>
  errors.map((error) =>
    emptied.has(error.field)
      ? { ...error, message: error.message.replace(/^(Invalid value: [^\s(){}"]+)\(nil\)/, '$1{}') }
      : error,
  );

async function store(
  resource: Resource,
  namespace: string,
  object: ApiObject,
  context: WriteContext,
): Promise<WriteResult> {
  const { name = '', generateName } = object.metadata ?? {};
  const key = objectKey(resource, namespace, name);
  const stored = storedBytes(resource, object, context.budget);
  const bytes = stored instanceof Promise ? await stored : stored;
  const taken = async (): Promise<ApiError> =>
    generateName
      ? generatedNameTaken(resource, name)
      : nameTaken(resource, name, await resource.storage.get(key));
  context.signal.throwIfAborted();
  try {
    const { value } = await resource.storage.put(key, bytes, 'absent');
    return withOutcome(context.dryRun ? unstampResourceVersion(value) : value, true);
  } catch (thrown) {
    throw thrown instanceof StorageConflict ? await taken() : thrown;
  }
}

class WrittenBytes extends EncodedBytes implements WriteResult {
  readonly created: boolean;

  constructor(bytes: Buffer, isCreated: boolean) {
    super(bytes);
    this.created = isCreated;
  }
}

export const withOutcome = (bytes: Buffer, isCreated: boolean): WriteResult =>
  new WrittenBytes(bytes, isCreated);

/** Who has the name may be on the way out. */
function nameTaken(resource: Resource, name: string, stored: Stored | undefined): ApiError {
  const error = alreadyExists(resource.name, name);
  const leaving = stored && parseObject(stored.value).metadata?.deletionTimestamp !== undefined;
  if (!leaving) return error;
  return new ApiError({ ...error.status, message: `object is being deleted: ${error.message}` });
}

/** The generated name was in use: another try draws another one. */
function generatedNameTaken(resource: Resource, name: string): ApiError {
  const { status } = alreadyExists(resource.name, name);
  return new ApiError({
    ...status,
    message: `${status.message ?? ''}, the server was not able to generate a unique name for the object`,
    details: { ...status.details, retryAfterSeconds: 1 },
  });
}
