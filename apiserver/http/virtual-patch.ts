import { type ApiObject, type Kind, defineKind } from '../../api/kinds/kind.ts';
import type { Scheme } from '../../api/kinds/scheme.ts';
import type { StructSchema } from '../../api/schema/schema.ts';
import { isConflict, unsupportedMediaType } from '../../api/status/api-error.ts';
import { patchDocument } from '../registry/patch.ts';
import type { WriteContext } from '../registry/registry.ts';
import type { RequestContext } from '../request.ts';
import { patchTypeOf, readPatch } from './bodies.ts';
import type { VirtualHandler } from './virtual.ts';

/** So often upstream tries a patch again that another write has got ahead of. */
const ATTEMPTS = 6;

export interface VirtualTarget {
  readonly scheme: Scheme;
  readonly schema: StructSchema;
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
}

/** A kind that is read and written through its handler alone, for what works on kinds. */
export function kindOfVirtual({ scheme, schema, typeMeta }: VirtualTarget): Kind {
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

/** PATCH of a subresource with a kind of its own: its handler's answer to a read, changed, is handed it as an update. */
export async function patchVirtual(
  handler: VirtualHandler,
  context: RequestContext,
  target: VirtualTarget,
  path: { readonly namespace: string; readonly name: string },
  write: WriteContext,
): Promise<ApiObject> {
  const type = patchTypeOf(context.http);
  if (type === 'application/apply-patch+yaml') {
    throw unsupportedMediaType(
      `the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/strategic-merge-patch+json`,
    );
  }
  const patch = await readPatch(context.http, type);
  context.audit.body(patch.value);
  const asVerb = (verb: string): RequestContext => ({ ...context, info: { ...context.info, verb } });
  const kind = kindOfVirtual(target);
  for (let tries = 1; ; tries++) {
    const current = await handler.handle(asVerb('get'), { ...target.typeMeta }, path.namespace, path.name);
    const document = { ...target.typeMeta, ...current };
    const next = patchDocument({ ...target, kind }, type, patch.value, document, {
      ...write,
      duplicateFields: patch.duplicates,
    });
    try {
      return await handler.handle(asVerb('update'), next, path.namespace, path.name);
    } catch (thrown) {
      if (!isConflict(thrown) || tries === ATTEMPTS) throw thrown;
    }
  }
}
