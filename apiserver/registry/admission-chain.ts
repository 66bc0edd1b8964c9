import type { ApiObject, DeepReadonly } from '../../api/kinds/kind.ts';
import type { AnyKind } from '../../api/kinds/scheme.ts';
import type { AdmissionPlugin, AdmissionRequest, Operation } from '../request.ts';
import type { WriteContext } from './registry.ts';
import type { Resource } from './resource.ts';

export interface AdmissionSubject {
  readonly operation: Operation;
  readonly namespace: string;
  readonly name: string;
  readonly subresource: string;
  readonly object: ApiObject | undefined;
  readonly previous: DeepReadonly<ApiObject> | undefined;
}

/** Field by field: it is made for every phase of every write, and a spread costs many times as much. */
const toRequest = (
  resource: Resource,
  subject: AdmissionSubject,
  context: WriteContext,
): AdmissionRequest => ({
  operation: subject.operation,
  kind: resource.kind as unknown as AnyKind,
  namespace: subject.namespace,
  name: subject.name,
  subresource: subject.subresource,
  user: context.user,
  dryRun: context.dryRun,
  object: subject.object,
  previous: subject.previous,
  warn: context.warn,
});

/** The plugins that have something to do for an operation on a kind, phase by phase. */
interface Phases {
  readonly mutating: readonly AdmissionPlugin[];
  readonly allocating: readonly AdmissionPlugin[];
  readonly validating: readonly AdmissionPlugin[];
  /** Whether one of `mutating` may change objects of the kind. */
  readonly mayMutate: boolean;
}

type ByOperation = { [O in Operation]?: Phases };

const known = new WeakMap<readonly AdmissionPlugin[], WeakMap<object, ByOperation>>();

/** Sought out once: who is not concerned is neither called nor waited for. */
function phasesOf({ admission, kind }: Resource, operation: Operation): Phases {
  const plugins = admission();
  let byKind = known.get(plugins);
  if (byKind === undefined) known.set(plugins, (byKind = new WeakMap()));
  let byOperation = byKind.get(kind);
  if (byOperation === undefined) byKind.set(kind, (byOperation = {}));
  return (byOperation[operation] ??= choose(plugins, operation, kind as unknown as AnyKind));
}

function choose(plugins: readonly AdmissionPlugin[], operation: Operation, kind: AnyKind): Phases {
  const concerned = plugins.filter(
    (plugin) => plugin.operations.includes(operation) && (plugin.concerns?.(kind) ?? true),
  );
  const mutating = concerned.filter((plugin) => plugin.mutate);
  return {
    mutating,
    allocating: concerned.filter((plugin) => plugin.allocate),
    validating: concerned.filter((plugin) => plugin.validate),
    mayMutate: mutating.some((plugin) => plugin.mutates?.(kind) ?? true),
  };
}

/** Whether a plugin may change objects of the kind. */
export const mayMutate = (resource: Resource, operation: Operation): boolean =>
  phasesOf(resource, operation).mayMutate;

/** Lets every plugin change the object, in order; true when there was one that might have. */
export async function mutate(
  resource: Resource,
  subject: AdmissionSubject,
  context: WriteContext,
): Promise<boolean> {
  const phases = phasesOf(resource, subject.operation);
  if (phases.mutating.length === 0) return false;
  const request = toRequest(resource, subject, context);
  for (const plugin of phases.mutating) await plugin.mutate?.(request, context.signal);
  return phases.mayMutate;
}

const NOTHING_GIVEN = (): void => {};

/** Lets every plugin give the object what it needs; the answer takes all of it back. */
export function allocate(resource: Resource, subject: AdmissionSubject, context: WriteContext): () => void {
  const plugins = phasesOf(resource, subject.operation).allocating;
  if (plugins.length === 0) return NOTHING_GIVEN;
  const request = toRequest(resource, subject, context);
  const given = plugins.flatMap((plugin) => plugin.allocate?.(request) ?? []);
  return () => {
    for (const takeBack of given) takeBack();
  };
}

/** Lets every plugin refuse, in order. */
export async function admit(
  resource: Resource,
  subject: AdmissionSubject,
  context: WriteContext,
): Promise<void> {
  const plugins = phasesOf(resource, subject.operation).validating;
  if (plugins.length === 0) return;
  const request = toRequest(resource, subject, context);
  for (const plugin of plugins) await plugin.validate?.(request, context.signal);
}
