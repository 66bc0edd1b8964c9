import type { AnyKind, ApiObject, DeepReadonly, Scheme, UserInfo } from '../../../api/kinds/index.ts';
import { parseManagers } from '../../../api/managed/index.ts';
import type { ManagedFieldsEntry } from '../../../api/types/meta-v1.ts';
import type {
  AdmissionPlugin,
  AdmissionRequest,
  ObjectKind,
  Operation,
  Reinvocation,
  WriteOptions,
} from '../../request.ts';
import { type Soon, inTurn, toTheEnd, whenThere } from '../../../base/async/index.ts';
import { type WorkBudget, charged } from '../../../base/budget/index.ts';
import type { Environment } from '../../../base/environment.ts';
import { messageOf } from '../../../base/errors/index.ts';
import { StorageConditionFailed } from '../../storage/storage.ts';
import type { Phases } from './plugin-phases.ts';
import type { WriteContext } from '../registry.ts';
import type { Resource } from '../resource.ts';

export interface AdmissionSubject {
  readonly operation: Operation;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly object: ApiObject | undefined;
  readonly previous: DeepReadonly<ApiObject> | undefined;
  /** Kind of the subresource, if it has a dedicated one. Default: the resource's kind. */
  readonly requestKind?: ObjectKind;
}

/** Properties of a resource that admission uses. */
export type Admitted = Pick<Resource, 'kind' | 'scheme' | 'registry' | 'onAdmission'> & {
  readonly environment: Pick<Environment, 'clock'>;
};

/** Properties of a write's context that plugins receive. */
export type AdmissionContext = Pick<
  WriteContext,
  | 'user'
  | 'dryRun'
  | 'warn'
  | 'annotate'
  | 'waited'
  | 'dueMs'
  | 'options'
  | 'signal'
  | 'isAdmitted'
  | 'budget'
  | 'seen'
>;

const IGNORE = (): void => {};

class Repetition implements Reinvocation {
  #kept: Map<string, unknown> | undefined;
  isReinvocation = false;
  isWanted = false;

  /** Created on first use, as few writes have a webhook. */
  get kept(): Map<string, unknown> {
    return (this.#kept ??= new Map());
  }

  reinvoke(): void {
    this.isWanted = true;
  }
}

/**
 * Request that plugins receive. It is created for every phase of every write, so rarely used properties are
 * computed on demand.
 */
class SubjectRequest implements AdmissionRequest {
  readonly operation: Operation;
  readonly kind: AnyKind;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly user: UserInfo;
  readonly dryRun: boolean;
  readonly object: ApiObject | undefined;
  readonly previous: DeepReadonly<ApiObject> | undefined;
  readonly warn: (text: string) => void;
  readonly annotate: AdmissionRequest['annotate'];
  readonly waited: AdmissionRequest['waited'];
  readonly dueMs: number | undefined;
  readonly budget: WorkBudget | undefined;
  reinvocation: Repetition | undefined;
  readonly #scheme: Scheme;
  readonly #given: ObjectKind | undefined;
  readonly #options: WriteContext['options'];

  constructor({ kind, scheme }: Admitted, subject: AdmissionSubject, context: AdmissionContext) {
    this.operation = subject.operation;
    this.kind = kind as unknown as AnyKind;
    this.namespace = subject.namespace;
    this.name = subject.name;
    this.subresource = subject.subresource;
    this.user = context.user;
    this.dryRun = context.dryRun;
    this.object = subject.object;
    this.previous = subject.previous;
    this.warn = context.warn;
    this.annotate = context.annotate ?? IGNORE;
    this.waited = context.waited;
    this.dueMs = context.dueMs;
    this.budget = context.budget;
    this.#scheme = scheme;
    this.#given = subject.requestKind;
    this.#options = context.options;
    context.seen?.add(subject.object, subject.previous);
  }

  get requestKind(): ObjectKind {
    const { group, version, kind } = this.kind;
    return this.#given ?? { group: this.#scheme.vocabulary.group(group), version, kind };
  }

  get options(): WriteOptions | undefined {
    if (this.operation === 'CONNECT') return undefined;
    const apiVersion = this.#scheme.vocabulary.apiVersion('meta', 'v1');
    return { ...this.#options, kind: OPTIONS_KIND[this.operation], apiVersion };
  }
}

const OPTIONS_KIND = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions' } as const;

const phasesOf = ({ registry, kind }: Admitted, operation: Operation): Phases =>
  registry.admission.phasesOf(kind as unknown as AnyKind, operation);

const isAwake = (plugin: AdmissionPlugin): boolean => plugin.isIdle?.() !== true;

/**
 * Charges the synchronous part of a plugin to the request, and pauses afterwards if the time slice is used
 * up. A plugin charges its asynchronous work itself (`AdmissionRequest.budget`).
 */
function paid({ budget }: AdmissionContext, run: () => Soon<void>): Soon<void> {
  if (budget === undefined) return run();
  const done = charged(budget, run);
  if (done instanceof Promise) return done.then(() => budget.pause());
  return budget.pause();
}

/** True if a plugin that is not idle may change objects of the kind. */
export const mayMutate = (resource: Admitted, operation: Operation): boolean =>
  phasesOf(resource, operation).changing.some(isAwake);

/**
 * Runs the mutating plugins in order, and a second time if a plugin requests that (release 1.24,
 * `reinvocation`). Returns true if a plugin may have changed the object.
 */
export function mutate(
  resource: Admitted,
  subject: AdmissionSubject,
  context: AdmissionContext,
): Soon<boolean> {
  const { mutating, changing } = phasesOf(resource, subject.operation);
  if (context.isAdmitted || !mutating.some(isAwake)) return false;
  const request = new SubjectRequest(resource, subject, context);
  const repetition = new Repetition();
  request.reinvocation = repetition;
  const owners = subject.object?.metadata?.managedFields;
  const runAll = (): Soon<void> =>
    inTurn(mutating, (plugin) =>
      isAwake(plugin) ? paid(context, () => plugin.mutate?.(request, context.signal)) : undefined,
    );
  const mutated = observed(resource, 'admit', subject.operation, () =>
    whenThere(runAll(), () => {
      if (!repetition.isWanted) return;
      repetition.isReinvocation = true;
      return runAll();
    }),
  );
  return whenThere(mutated, () => {
    restoreOwners(subject.object, owners, context);
    return changing.some(isAwake);
  });
}

/** Restores the previous managedFields if a plugin has made them invalid, and warns the client. */
function restoreOwners(
  object: ApiObject | undefined,
  before: readonly ManagedFieldsEntry[] | undefined,
  { warn }: AdmissionContext,
): void {
  const { metadata } = object ?? {};
  if (metadata === undefined || metadata.managedFields === before) return;
  try {
    parseManagers(metadata.managedFields);
  } catch (thrown) {
    if (before === undefined) delete metadata.managedFields;
    else metadata.managedFields = [...before];
    warn(
      `.metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating admission controller; please fix your requests: ${messageOf(thrown)}`,
    );
  }
}

/**
 * Calls `write` after every plugin has allocated what the object needs from the server's state, such as
 * addresses. If another writer takes an allocated value first, the object is restored, and allocation and
 * write are repeated.
 */
export async function whileAllocated<T>(
  resource: Admitted,
  subject: AdmissionSubject,
  context: AdmissionContext,
  write: () => Promise<T>,
): Promise<T> {
  const plugins = phasesOf(resource, subject.operation).allocating;
  if (plugins.length === 0) return write();
  for (;;) {
    context.signal.throwIfAborted();
    const restore = await allocate(plugins, new SubjectRequest(resource, subject, context));
    try {
      return await write();
    } catch (thrown) {
      restore();
      if (!(thrown instanceof StorageConditionFailed)) throw thrown;
    }
  }
}

async function allocate(plugins: readonly AdmissionPlugin[], request: AdmissionRequest): Promise<() => void> {
  const restores: (() => void)[] = [];
  for (const plugin of plugins) restores.push((await plugin.allocate?.(request)) ?? NOTHING);
  return () => {
    for (const restore of restores) restore();
  };
}

const NOTHING = (): void => {};

/** Runs the validating plugins in order. Each of them may reject the request. */
export function admit(resource: Admitted, subject: AdmissionSubject, context: AdmissionContext): Soon<void> {
  const plugins = phasesOf(resource, subject.operation).validating;
  if (context.isAdmitted || !plugins.some(isAwake)) return;
  const request = new SubjectRequest(resource, subject, context);
  return observed(resource, 'validate', subject.operation, () =>
    inTurn(plugins, (plugin) =>
      isAwake(plugin) ? paid(context, () => plugin.validate?.(request, context.signal)) : undefined,
    ),
  );
}

/** Runs a phase and reports its duration to `onAdmission`. */
function observed(
  { onAdmission, environment: { clock } }: Admitted,
  phase: 'admit' | 'validate',
  operation: Operation,
  run: () => Soon<void>,
): Soon<void> {
  if (!onAdmission) return run();
  const started = clock.monotonic();
  return toTheEnd(run, (rejected) => onAdmission(phase, operation, rejected, clock.monotonic() - started));
}
