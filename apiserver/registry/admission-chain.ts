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

const toRequest = (
  resource: Resource,
  subject: AdmissionSubject,
  context: WriteContext,
): AdmissionRequest => ({
  ...subject,
  kind: resource.kind as unknown as AnyKind,
  user: context.user,
  dryRun: context.dryRun,
  warn: context.warn,
});

const handling = (resource: Resource, operation: Operation): readonly AdmissionPlugin[] =>
  resource.admission().filter((plugin) => plugin.operations.includes(operation));

/** Lets every plugin change the object, in order; true when there was one that might have. */
export async function mutate(
  resource: Resource,
  subject: AdmissionSubject,
  context: WriteContext,
): Promise<boolean> {
  const plugins = handling(resource, subject.operation).filter((plugin) => plugin.mutate);
  if (plugins.length === 0) return false;
  const request = toRequest(resource, subject, context);
  for (const plugin of plugins) await plugin.mutate?.(request, context.signal);
  return true;
}

/** Lets every plugin give the object what it needs; the answer takes all of it back. */
export function allocate(resource: Resource, subject: AdmissionSubject, context: WriteContext): () => void {
  const plugins = handling(resource, subject.operation).filter((plugin) => plugin.allocate);
  if (plugins.length === 0) return () => {};
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
  const plugins = handling(resource, subject.operation).filter((plugin) => plugin.validate);
  if (plugins.length === 0) return;
  const request = toRequest(resource, subject, context);
  for (const plugin of plugins) await plugin.validate?.(request, context.signal);
}
