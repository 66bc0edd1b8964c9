import { type AnyKind, type ApiObject, isConfidential, sameValue } from '../../../api/kinds/index.ts';
import { mergeValues, shapeOf } from '../../../api/managed/index.ts';
import { type StructSchema, applyDefaults } from '../../../api/schema/index.ts';
import { charged } from '../../../base/budget/index.ts';
import { type AdmissionSubject, type Admitted, admit, mutate } from '../../registry/write/admission.ts';
import { withoutValues } from '../../registry/confidential/writes.ts';
import type { WriteContext } from '../../registry/registry.ts';
import type { ObjectKind, RequestContext } from '../../request.ts';
import { writeContext } from '../request/options.ts';
import { budgetOf } from '../request/request-budget.ts';
import type { VirtualHandler } from './virtual.ts';

/** Dependencies of `withAdmission`. */
export interface VirtualAdmission extends Omit<Admitted, 'kind'> {
  /** Kind of the resource in the path. */
  readonly kind: AnyKind;
  readonly schema: StructSchema;
  /** Kind and apiVersion of the body. */
  readonly typeMeta: { readonly kind: string; readonly apiVersion: string };
}

/**
 * Wraps a handler so that admission plugins may change and must allow its body, as for a stored object. The
 * handler's own writes of objects then skip admission (`WriteContext.isAdmitted`).
 */
export function withAdmission(handler: VirtualHandler, options: VirtualAdmission): VirtualHandler {
  const { scheme, schema, typeMeta } = options;
  const target: Admitted = { ...options, kind: options.kind as unknown as Admitted['kind'] };
  const requestKind = objectKindOf(typeMeta);
  const previously = async (namespace: string, name: string): Promise<ApiObject> => ({
    ...typeMeta,
    ...(await handler.previous?.(namespace, name)),
  });
  async function runAdmission(
    context: RequestContext,
    body: ApiObject,
    path: Path,
    previous?: ApiObject,
  ): Promise<void> {
    const kind = previous ? 'UpdateOptions' : 'CreateOptions';
    const write = writeContext(context, kind, scheme.vocabulary);
    const subject = (): AdmissionSubject => ({
      operation: previous ? 'UPDATE' : 'CREATE',
      namespace: path.namespace,
      name: path.name || (body.metadata?.name ?? ''),
      subresource: context.info.subresource,
      object: body,
      previous,
      requestKind,
    });
    const ask = async (by: WriteContext): Promise<void> => {
      const { budget } = by;
      if (budget?.isDue) await budget.pause();
      if (await charged(budget, () => mutate(target, subject(), by)))
        charged(budget, () => applyDefaults(schema, body));
      if (budget?.isDue) await budget.pause();
      await charged(budget, () => admit(target, subject(), by));
    };
    return isConfidential(options.kind, context.info.subresource) ? withoutValues(write, ask) : ask(write);
  }
  const { apply } = handler;
  return {
    ...handler,
    async handle(context, body, namespace, name) {
      const { verb } = context.info;
      if (verb === 'get') return handler.handle(context, body, namespace, name);
      const previous = verb === 'update' ? await previously(namespace, name) : undefined;
      await runAdmission(context, body, { namespace, name }, previous);
      if (context.budget?.isDue) await context.budget.pause();
      return charged(context.budget, () => handler.handle(context, body, namespace, name));
    },
    ...(apply && {
      async apply(context: RequestContext, config: ApiObject, namespace: string, name: string) {
        const previous = await previously(namespace, name);
        const applied = charged(
          budgetOf(context),
          () => mergeValues(shapeOf(schema), previous, config) as ApiObject,
        );
        const body = structuredClone(applied);
        await runAdmission(context, body, { namespace, name }, previous);
        return apply(context, sameValue(applied, body) ? config : body, namespace, name);
      },
    }),
  };
}

interface Path {
  readonly namespace: string;
  readonly name: string;
}

function objectKindOf({ kind, apiVersion }: VirtualAdmission['typeMeta']): ObjectKind {
  const slash = apiVersion.indexOf('/');
  return { kind, group: slash < 0 ? '' : apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}
