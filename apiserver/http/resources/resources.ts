import {
  type ApiError,
  badRequest,
  methodNotAllowed,
  notFound,
  unknownPath,
} from '../../../api/status/index.ts';
import {
  type AnyKind,
  type Connection,
  type Kind,
  type Scheme,
  type Subresource,
  isVirtualSubresource,
  storedKindOf,
} from '../../../api/kinds/index.ts';
import type { TypeMeta } from '../../../api/protobuf/index.ts';
import { escapeFieldValue } from '../../../api/selectors/index.ts';
import { type Soon, whenThere } from '../../../base/async/index.ts';
import type { Clock } from '../../../base/clock/index.ts';
import { type HttpResponse, asksForWebSocket } from '../../../base/http/index.ts';
import type { Deleted, Registry, ResourceRegistry, WriteContext } from '../../registry/registry.ts';
import type { Admitted } from '../../registry/write/admission.ts';
import type { OnAdmission } from '../../registry/resource.ts';
import { parseSelection } from '../../registry/read/selection.ts';
import { changedContext } from '../../registry/write/write-context.ts';
import type { Authorizer, RequestContext } from '../../request.ts';
import { type ResponseWriters, createResponseWriters } from '../response/response-writers.ts';
import { binaryOf } from '../response/binary.ts';
import {
  type BodyTarget,
  type ParsedBody,
  bodyTarget,
  patchTypeOf,
  readDeleteOptions,
  readObject,
  readPatch,
} from '../request/bodies.ts';
import { compressed } from '../response/compression.ts';
import { type Connector, openConnection } from './connect.ts';
import type { Negotiate, Negotiated } from '../response/negotiation.ts';
import { deleteRequest, listParameters, watchParameters, writeContext } from '../request/options.ts';
import type { Next } from '../pipeline.ts';
import { budgetOf } from '../request/request-budget.ts';
import {
  checkPath,
  connectionOf,
  lacksNamespace,
  namespaceOf,
  rejectedMethod,
  unrouted,
} from './resource-path.ts';
import {
  bytesResponse,
  negotiatorOf,
  objectResponse,
  pageNotFound,
  successStatus,
} from '../response/responses.ts';
import { attributesOf, authorize } from '../stages/authorization.ts';
import { VirtualResources } from '../virtual/virtual-resources.ts';
import { watchOverWebSocket } from './watch-socket.ts';
import type { VirtualHandler } from '../virtual/virtual.ts';

/** Dependencies of `createResources`. */
export interface ResourcesOptions {
  readonly scheme: Scheme;
  readonly registry: Registry;
  /** Handlers of resources that are not stored. */
  readonly virtual: readonly VirtualHandler[];
  /** Returns the handler of a subresource of a custom kind. Called if `virtual` has none. */
  readonly virtualOf?: (kind: AnyKind, subresource: string) => VirtualHandler | undefined;
  /** Registries of kinds whose objects are computed on request. They replace those of `registry`. */
  readonly computed?: readonly ResourceRegistry[];
  readonly clock: Clock;
  /** Authorizer that is called again if an update or an apply creates an object. */
  readonly authorizer: Authorizer;
  readonly onAdmission: OnAdmission;
  /** Opens connections to pods, nodes and services. */
  readonly connect: Connector;
}

/**
 * Creates the handler of resource requests, which decodes a request, calls the registry and encodes the
 * result.
 */
export function createResources(options: ResourcesOptions): Next {
  const resources = new Resources(options);
  return (context) => resources.handle(context);
}

class Resources {
  readonly #options: ResourcesOptions;
  readonly #virtual: VirtualResources;
  readonly #admitted: Omit<Admitted, 'kind'>;
  readonly #computed: ReadonlyMap<AnyKind, ResourceRegistry>;
  readonly #negotiate: Negotiate;
  readonly #writers: ResponseWriters;

  constructor(options: ResourcesOptions) {
    this.#options = options;
    this.#computed = new Map((options.computed ?? []).map((each) => [each.kind, each]));
    this.#negotiate = negotiatorOf(options.scheme.vocabulary);
    this.#writers = createResponseWriters(options);
    const { scheme, registry, onAdmission, clock } = options;
    this.#admitted = { scheme, registry, onAdmission, environment: { clock } };
    this.#virtual = new VirtualResources({
      scheme,
      handlers: options.virtual,
      handlerOf: options.virtualOf,
      admitted: this.#admitted,
      writers: this.#writers,
      negotiate: this.#negotiate,
    });
  }

  handle(context: RequestContext): Soon<HttpResponse> {
    const { kind, info } = context;
    if (kind === undefined) throw unknownPath();
    if (lacksNamespace(kind, info)) return pageNotFound();
    checkPath(kind, context);
    const connection = connectionOf(kind, info.subresource);
    if (connection) return this.#connection(context, kind, connection);
    if (info.httpMethod === 'HEAD' || info.verb === '') throw unrouted(kind, info);
    if (info.verb === 'watch' && info.httpMethod !== 'GET') throw methodNotAllowed();
    if (info.subresource !== '') return this.#subresource(context, kind);
    if (!(kind.verbs as readonly string[]).includes(info.verb)) throw methodNotAllowed();
    if (kind.terminating && info.verb === 'create') throw terminatingKind();
    if (kind.virtual && !this.#computed.has(kind))
      return this.#virtual.handle(context, kind, [
        { schema: kind.schema, typeMeta: this.#options.scheme.typeMetaOf(kind) },
      ]);
    return this.#stored(context, kind);
  }

  #stored(context: RequestContext, kind: AnyKind): Soon<HttpResponse> {
    const registry = this.#computed.get(kind) ?? this.#options.registry.of(kind);
    switch (context.info.verb) {
      case 'get':
        return this.#get(context, kind, registry);
      case 'list':
        return this.#list(context, kind, registry);
      case 'watch':
        return this.#watch(context, kind, registry);
      case 'create':
        return this.#create(context, kind, registry);
      case 'update':
        return this.#update(context, kind, registry);
      case 'patch':
        return this.#patch(context, kind, registry);
      case 'delete':
        return this.#delete(context, kind, registry);
      case 'deletecollection':
        return this.#deleteCollection(context, kind, registry);
      default:
        throw methodNotAllowed();
    }
  }

  /** Opens a connection. A proxied request may use any method. */
  #connection(context: RequestContext, kind: AnyKind, connection: Connection): Promise<HttpResponse> {
    const { httpMethod, verb } = context.info;
    const isForwarded = !connection.upgrades && !connection.reads;
    const isKnown = httpMethod !== 'HEAD' && (connection.verbs as readonly string[]).includes(verb);
    if (!isKnown && !(isForwarded && FORWARDED_METHODS.has(httpMethod))) throw methodNotAllowed();
    if (!connection.reads && context.info.query.has('dryRun')) throw badRequest('dryRun is not supported');
    return openConnection(context, kind, connection, {
      ...this.#admitted,
      connect: this.#options.connect,
    });
  }

  #subresource(context: RequestContext, kind: AnyKind): Soon<HttpResponse> {
    const { info } = context;
    const subresources: Readonly<Record<string, Subresource<never>>> = kind.subresources;
    const subresource = Object.hasOwn(subresources, info.subresource)
      ? subresources[info.subresource]
      : undefined;
    if (subresource === undefined) {
      const { group, resource, name } = info;
      // The error names the object of a custom resource as missing, not its subresource, as upstream does.
      throw kind.schema.root ? notFound({ group, resource }, name) : unknownPath();
    }
    if (!(subresource.verbs as readonly string[]).includes(info.verb)) throw rejectedMethod(kind, info);
    if (isVirtualSubresource(subresource)) {
      const { schema, otherVersions = [] } = subresource;
      const typeMetaOf = (version: string): TypeMeta =>
        this.#options.scheme.typeMetaOf({ ...subresource, version });
      const others = otherVersions.map((each) => ({
        schema: each.schema,
        typeMeta: typeMetaOf(each.version),
      }));
      return this.#virtual.handle(context, kind, [
        { schema, typeMeta: typeMetaOf(subresource.version) },
        ...others,
      ]);
    }
    return this.#stored(context, kind);
  }

  #get(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Soon<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const version = context.info.query.get('resourceVersion') ?? '';
    const found = registry.get(namespaceOf(kind, context), context.info.name, version);
    return whenThere(found, (encoded) =>
      whenThere(this.#writers.one(context, kind, negotiated, 200, encoded), (response) =>
        compressed(context.http.headers, response),
      ),
    );
  }

  async #list(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const list = await registry.list(listParameters(context.info.query, namespaceOf(kind, context)));
    return compressed(context.http.headers, await this.#writers.many(context, kind, negotiated, list));
  }

  async #watch(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const { query, name } = context.info;
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const { mediaType, transform, framing } = this.#writers.stream(context, kind, negotiated);
    const parameters = watchParameters(query, {
      namespace: namespaceOf(kind, context),
      signal: context.http.signal,
      onStarted: context.onWatchStarted,
      transform,
      framing,
      selected: (fieldSelector) => withName(kind, fieldSelector, name),
    });
    const write = await registry.watch(parameters);
    const { headers, stream } = context.http;
    if (stream === undefined || !asksForWebSocket(headers)) return bytesResponse(200, mediaType, write);
    const messages = framing === undefined ? 'text' : 'binary';
    return watchOverWebSocket(context.http, stream.call(context.http), { mediaType, form: messages, write });
  }

  #bodyOf(kind: AnyKind): BodyTarget {
    const { scheme } = this.#options;
    const { protobufMediaType } = scheme.vocabulary;
    return bodyTarget({ schema: kind.schema, typeMeta: scheme.typeMetaOf(kind) }, protobufMediaType);
  }

  async #create(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const write = writeContext(context, 'CreateOptions', this.#options.scheme.vocabulary);
    const body = await readObject(context.http, budgetOf(context), this.#bodyOf(kind));
    const written = await registry.create(namespaceOf(kind, context), body.value, asWritten(write, body));
    return this.#writers.one(context, kind, negotiated, 201, written);
  }

  /**
   * Returns a write that may create an object. Its `mayCreate` checks that the user may create the object.
   */
  #creating(context: RequestContext, write: WriteContext): WriteContext {
    const attributes = { ...attributesOf(context), verb: 'create' };
    return changedContext(write, { mayCreate: () => authorize(this.#options.authorizer, attributes) });
  }

  async #update(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const write = this.#creating(
      context,
      writeContext(context, 'UpdateOptions', this.#options.scheme.vocabulary),
    );
    const body = await readObject(context.http, budgetOf(context), this.#bodyOf(kind));
    const { name, subresource } = context.info;
    const written = await registry.update(
      namespaceOf(kind, context),
      name,
      subresource,
      body.value,
      asWritten(write, body),
    );
    return this.#writers.one(context, kind, negotiated, written.created ? 201 : 200, written);
  }

  async #patch(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const type = patchTypeOf(context.http, kind);
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const write = this.#creating(
      context,
      writeContext(context, 'PatchOptions', this.#options.scheme.vocabulary, type),
    );
    const { name, subresource } = context.info;
    const namespace = namespaceOf(kind, context);
    // An apply creates a missing object.
    const mayCreate = type === 'application/apply-patch+yaml' && subresource === '';
    const patch = await readPatch(context.http, budgetOf(context), type, async () =>
      mayCreate ? undefined : registry.get(namespace, name, ''),
    );
    context.audit.body(patch.value);
    const written = await registry.patch(
      namespace,
      name,
      subresource,
      type,
      patch.value,
      asWritten(write, patch),
    );
    return this.#writers.one(context, kind, negotiated, written.created ? 201 : 200, written);
  }

  async #delete(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const body = await this.#deleteOptions(context);
    const { parameters, write, cascading } = deleteRequest(context, body, this.#options.scheme.vocabulary);
    const { name } = context.info;
    const deleted = await registry.delete(namespaceOf(kind, context), name, parameters, write);
    const status = !deleted.isRemoved && cascading ? 202 : 200;
    if (deleted.returnsObject) return this.#writers.one(context, kind, negotiated, status, deleted);
    return objectResponse(
      context,
      withoutTransform(negotiated),
      status,
      this.#deletedStatus(kind, name, deleted),
    );
  }

  async #deleteOptions(context: RequestContext): Promise<unknown> {
    const body = await readDeleteOptions(
      context.http,
      budgetOf(context),
      this.#options.scheme.vocabulary.protobufMediaType,
    );
    if (body !== undefined)
      context.audit.body({ kind: 'DeleteOptions', apiVersion: 'v1', ...(body as object) });
    return body;
  }

  #deletedStatus(kind: AnyKind, name: string, deleted: Deleted): unknown {
    const group = this.#options.scheme.vocabulary.group(storedKindOf(kind).group);
    const uid = deleted.object.metadata?.uid ?? '';
    return successStatus({ name, ...(group === '' ? {} : { group }), kind: kind.plural, uid });
  }

  async #deleteCollection(
    context: RequestContext,
    kind: AnyKind,
    registry: ResourceRegistry,
  ): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const list = listParameters(context.info.query, namespaceOf(kind, context));
    const body = await this.#deleteOptions(context);
    const { parameters, write } = deleteRequest(context, body, this.#options.scheme.vocabulary);
    return this.#writers.many(
      context,
      kind,
      negotiated,
      await registry.deleteCollection(list, parameters, write),
    );
  }
}

const terminatingKind = (): ApiError =>
  methodNotAllowed('create not allowed while custom resource definition is terminating');

/** HTTP methods without an API verb that a proxy forwards. */
const FORWARDED_METHODS = new Set(['HEAD', 'OPTIONS']);

/**
 * Restricts a watch on the legacy path of one object to that object. Throws a 400 if the field selector names
 * another object.
 */
function withName(kind: AnyKind, fieldSelector: string, name: string): string {
  const own = `metadata.name=${escapeFieldValue(name)}`;
  if (name === '' || fieldSelector === own) return fieldSelector;
  const selection = parseSelection(kind as unknown as Kind, { fieldSelector, labelSelector: '' });
  if (selection.everything) return own;
  if (selection.name === name) return fieldSelector;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

const withoutTransform = (negotiated: Negotiated): Negotiated => ({ ...negotiated, as: undefined });

/** Adds to a write what parsing found in the body: repeated keys, and numbers not written as integers. */
const asWritten = (write: WriteContext, { duplicates, repeatedKeys, floats }: ParsedBody): WriteContext =>
  duplicates.length === 0 && !repeatedKeys?.length && floats === undefined
    ? write
    : changedContext(write, { duplicateFields: duplicates, repeatedKeys, floats });
