import { type ApiObject, type Kind, type Scheme, defineKind } from '../../../api/kinds/index.ts';
import { TypedError, checkTyped, shapeOf } from '../../../api/managed/index.ts';
import type { StructSchema } from '../../../api/schema/index.ts';
import { isConflict, unexplained } from '../../../api/status/index.ts';
import { charged } from '../../../base/budget/index.ts';
import { checkConfiguration } from '../../registry/fields/tracking.ts';
import { patchDocument, unknownPatch } from '../../registry/write/patch-document.ts';
import { checkName } from '../../registry/write/metadata.ts';
import type { PatchMediaType, WriteContext } from '../../registry/registry.ts';
import type { RequestContext } from '../../request.ts';
import { readPatch } from '../request/bodies.ts';
import { budgetOf } from '../request/request-budget.ts';
import type { VirtualHandler } from './virtual.ts';

/**
 * Maximum number of attempts at a patch that conflicts with other writes: upstream's first attempt and five
 * retries.
 */
const ATTEMPTS = 6;

/** Type that a virtual patch applies to. */
export interface VirtualTarget {
  readonly scheme: Scheme;
  readonly schema: StructSchema;
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
  /** True for a custom resource, which has no strategic merge patch. */
  readonly custom: boolean;
}

/** Returns a `Kind` for a virtual type, for functions that require one. */
export function kindOfVirtual({ scheme, schema, typeMeta }: Omit<VirtualTarget, 'custom'>): Kind {
  const [group = '', version = typeMeta.apiVersion] = typeMeta.apiVersion.includes('/')
    ? typeMeta.apiVersion.split('/')
    : [''];
  return defineKind<ApiObject>({
    group: scheme.vocabulary.plainGroup(group),
    version,
    kind: typeMeta.kind,
    plural: '',
    namespaced: false,
    schema,
    virtual: true,
  });
}

/**
 * Applies a PATCH to a subresource with a dedicated kind: reads the object from its handler, patches it and
 * passes it back as an update.
 */
export async function patchVirtual(
  handler: VirtualHandler,
  context: RequestContext,
  target: VirtualTarget,
  path: { readonly namespace: string; readonly name: string },
  write: WriteContext,
  type: PatchMediaType,
): Promise<ApiObject> {
  const isApply = type === 'application/apply-patch+yaml';
  const rejected = rejectedPatches(handler, target);
  if (rejected.includes(type)) throw unknownPatch(rejected);
  const asVerb = (verb: string): RequestContext => ({ ...context, info: { ...context.info, verb } });
  const { namespace, name } = path;
  const read = (): Promise<ApiObject> =>
    handler.patched
      ? handler.patched(namespace, name)
      : handler.handle(asVerb('get'), { ...target.typeMeta }, namespace, name);
  const patch = await readPatch(context.http, budgetOf(context), type, read);
  context.audit.body(patch.value);
  if (isApply && handler.apply) {
    await read();
    const config = charged(write.budget, () => configurationOf(target, patch.value, path));
    return handler.apply(context, config, namespace, name);
  }
  const kind = kindOfVirtual(target);
  for (let tries = 1; ; tries++) {
    const document = { ...target.typeMeta, ...(await read()) };
    const { budget } = write;
    if (budget?.isDue) await budget.pause();
    const next = charged(budget, () =>
      patchDocument({ ...target, kind }, type, patch.value, document, {
        ...write,
        duplicateFields: patch.duplicates,
      }),
    );
    checkName(next, namespace, name);
    try {
      return await handler.handle(asVerb('update'), next, namespace, name);
    } catch (thrown) {
      if (!isConflict(thrown) || tries === ATTEMPTS) throw thrown;
    }
  }
}

const rejectedPatches = ({ apply }: VirtualHandler, { custom }: VirtualTarget): readonly PatchMediaType[] => [
  ...(custom ? ['application/strategic-merge-patch+json' as const] : []),
  ...(apply ? [] : ['application/apply-patch+yaml' as const]),
];

/**
 * Returns the applied configuration. Throws upstream's `ApiError` unless it has the kind's shape and the
 * path's name.
 */
function configurationOf(
  target: VirtualTarget,
  value: unknown,
  path: { readonly namespace: string; readonly name: string },
): ApiObject {
  const config = checkConfiguration(target, value);
  try {
    checkTyped(shapeOf(target.schema), config);
  } catch (thrown) {
    if (!(thrown instanceof TypedError)) throw thrown;
    throw unexplained(`failed to create typed patch object: ${thrown.message}`);
  }
  checkName(config, path.namespace, path.name);
  return config;
}
