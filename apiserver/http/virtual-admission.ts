import type { AnyKind } from '../../api/kinds/scheme.ts';
import { applyDefaults } from '../../api/schema/defaults.ts';
import type { StructSchema } from '../../api/schema/schema.ts';
import { type AdmissionSubject, type Admitted, admit, mutate } from '../registry/admission-chain.ts';
import type { ObjectKind } from '../request.ts';
import { writeContext } from './options.ts';
import type { VirtualHandler } from './virtual.ts';

export interface VirtualAdmission extends Omit<Admitted, 'kind'> {
  /** Of the resource in the path. */
  readonly kind: AnyKind;
  readonly schema: StructSchema;
  /** Of what is sent. */
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
}

/**
 * The handler behind admission: what is sent to it is changed, and let through, as what is stored would be. The handler's
 * own writes of objects are part of that and not looked at again (`WriteContext.isAdmitted`).
 */
export function withAdmission(handler: VirtualHandler, options: VirtualAdmission): VirtualHandler {
  const { scheme, schema, typeMeta } = options;
  const target: Admitted = { ...options, kind: options.kind as unknown as Admitted['kind'] };
  const requestKind = objectKindOf(typeMeta);
  return {
    ...handler,
    async handle(context, body, namespace, name) {
      const { verb } = context.info;
      if (verb === 'get') return handler.handle(context, body, namespace, name);
      const isUpdate = verb === 'update';
      const write = writeContext(context, isUpdate ? 'UpdateOptions' : 'CreateOptions', scheme.vocabulary);
      const subject = (): AdmissionSubject => ({
        operation: isUpdate ? 'UPDATE' : 'CREATE',
        namespace,
        name: name || (body.metadata?.name ?? ''),
        subresource: context.info.subresource,
        object: body,
        previous,
        requestKind,
      });
      const previous = isUpdate ? { ...typeMeta, ...(await handler.previous?.(namespace, name)) } : undefined;
      if (await mutate(target, subject(), write)) applyDefaults(schema, body);
      await admit(target, subject(), write);
      return handler.handle(context, body, namespace, name);
    },
  };
}

function objectKindOf({ kind, apiVersion }: VirtualAdmission['typeMeta']): ObjectKind {
  const slash = apiVersion.indexOf('/');
  return { kind, group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
