import { unknownPath } from '../../../api/status/index.ts';
import type { AnyKind, ApiObject, Scheme } from '../../../api/kinds/index.ts';
import { applyDefaults } from '../../../api/schema/index.ts';
import { charged } from '../../../base/budget/index.ts';
import type { HttpResponse } from '../../../base/http/index.ts';
import { decodeBody } from '../../registry/write/decoding.ts';
import { checkName } from '../../registry/write/metadata.ts';
import type { Admitted } from '../../registry/write/admission.ts';
import type { WriteContext } from '../../registry/registry.ts';
import type { RequestContext } from '../../request.ts';
import { type ResponseWriters, columnsOf } from '../response/response-writers.ts';
import { binaryOf } from '../response/binary.ts';
import { type BodyVersion, type ParsedBody, bodyTarget, patchTypeOf, readObject } from '../request/bodies.ts';
import type { Negotiate } from '../response/negotiation.ts';
import { writeContext } from '../request/options.ts';
import { budgetOf } from '../request/request-budget.ts';
import { namespaceOf } from '../resources/resource-path.ts';
import { kindOfVirtual, patchVirtual } from './virtual-patch.ts';
import { withAdmission } from './virtual-admission.ts';
import { type VirtualHandler, virtualKey } from './virtual.ts';

/** Dependencies of `VirtualResources`. */
export interface VirtualResourcesOptions {
  readonly scheme: Scheme;
  readonly handlers: readonly VirtualHandler[];
  /** Returns the handler of a subresource of a custom kind. Called if `handlers` has none. */
  readonly handlerOf: ((kind: AnyKind, subresource: string) => VirtualHandler | undefined) | undefined;
  /** Properties with which admission runs for requests that no registry handles. */
  readonly admitted: Omit<Admitted, 'kind'>;
  readonly writers: ResponseWriters;
  readonly negotiate: Negotiate;
}

/**
 * Handler of requests for resources that are not stored. Each request is decoded, admitted and passed to its
 * virtual handler.
 */
export class VirtualResources {
  readonly #options: VirtualResourcesOptions;
  readonly #handlers: ReadonlyMap<string, VirtualHandler>;

  constructor(options: VirtualResourcesOptions) {
    this.#options = options;
    this.#handlers = new Map(options.handlers.map((handler) => [virtualKey(handler), handler]));
  }

  /** Handles a request for a virtual kind or subresource. A body may have any of `versions`. */
  async handle(
    context: RequestContext,
    kind: AnyKind,
    versions: readonly [BodyVersion, ...BodyVersion[]],
  ): Promise<HttpResponse> {
    const { info } = context;
    const { scheme, admitted, writers } = this.#options;
    const [{ schema, typeMeta }] = versions;
    const key = virtualKey({
      group: kind.group,
      version: kind.version,
      resource: kind.plural,
      subresource: info.subresource,
    });
    const found = this.#handlers.get(key) ?? this.#options.handlerOf?.(kind, info.subresource);
    if (found === undefined) throw unknownPath();
    const handler = withAdmission(found, { ...admitted, kind, schema, typeMeta });
    const tables = columnsOf(kind, info.subresource) !== undefined;
    const negotiated = this.#options.negotiate(context.http.headers, binaryOf(context), tables);
    const path = { namespace: namespaceOf(kind, context), name: info.name };
    if (info.verb === 'patch') {
      const type = patchTypeOf(context.http, kind);
      const write = writeContext(context, 'PatchOptions', scheme.vocabulary, type);
      const target = { scheme, schema, typeMeta, custom: kind.schema.root !== undefined };
      const patched = await patchVirtual(handler, context, target, path, write, type);
      return writers.virtual(context, kind, negotiated, 200, { ...typeMeta, ...patched });
    }
    const body = info.verb === 'get' ? { ...typeMeta } : await this.#body(context, versions);
    if (info.verb === 'update') checkName(body, path.namespace, path.name);
    const result = await handler.handle(context, body, path.namespace, path.name);
    const status = info.verb === 'create' ? 201 : 200;
    return writers.virtual(context, kind, negotiated, status, { ...typeMeta, ...result });
  }

  /** Reads the body of a virtual resource. A body without apiVersion has the first version. */
  async #body(
    context: RequestContext,
    versions: readonly [BodyVersion, ...BodyVersion[]],
  ): Promise<ApiObject> {
    const { scheme } = this.#options;
    const [target, ...others] = versions;
    const body = await readObject(
      context.http,
      budgetOf(context),
      bodyTarget(target, scheme.vocabulary.protobufMediaType),
      ...others.map((version) => bodyTarget(version, scheme.vocabulary.protobufMediaType)),
    );
    const { apiVersion } = body.value as { readonly apiVersion?: unknown };
    const meant = versions.find(({ typeMeta }) => typeMeta.apiVersion === apiVersion) ?? target;
    if (budgetOf(context).isDue) await budgetOf(context).pause();
    const object = decodeVirtual(
      scheme,
      meant,
      body,
      writeContext(context, 'CreateOptions', scheme.vocabulary),
    );
    context.audit.request(object);
    return object;
  }
}

/**
 * Decodes the body for a virtual handler: checks its kind, prunes it and applies the schema's defaults.
 * Throws a 400.
 */
function decodeVirtual(
  scheme: Scheme,
  { schema, typeMeta }: BodyVersion,
  body: ParsedBody,
  write: WriteContext,
): ApiObject {
  const kind = kindOfVirtual({ scheme, schema, typeMeta });
  return charged(write.budget, () => {
    const object = decodeBody({ kind, scheme, typeMeta }, body.value, {
      ...write,
      duplicateFields: body.duplicates,
      repeatedKeys: body.repeatedKeys,
    });
    applyDefaults(schema, object);
    return object;
  });
}
