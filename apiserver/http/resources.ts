import {
  type ApiError,
  badRequest,
  goQuote,
  methodNotAllowed,
  methodNotSupported,
  notFound,
  unknownPath,
} from '../../api/status/index.ts';
import { isPathSegment } from '../../api/validation/index.ts';
import {
  type AnyKind,
  type ApiObject,
  type Connection,
  type Kind,
  type Scheme,
  type Subresource,
  isVirtualSubresource,
  storedKindOf,
} from '../../api/kinds/index.ts';
import { type TypeMeta, hasProtobuf } from '../../api/protobuf/index.ts';
import type { StructSchema } from '../../api/schema/index.ts';
import { escapeFieldValue } from '../../api/selectors/index.ts';
import { type Soon, whenThere } from '../../base/async/index.ts';
import type { Clock } from '../../base/clock/index.ts';
import { type HttpResponse, asksForWebSocket } from '../../base/http/index.ts';
import { checkName } from '../registry/write/metadata.ts';
import type { Deleted, Registry, ResourceRegistry, WriteContext } from '../registry/registry.ts';
import type { Admitted } from '../registry/write/admission.ts';
import type { PluginPhases } from '../registry/write/plugin-phases.ts';
import type { OnAdmission } from '../registry/resource.ts';
import { parseSelection } from '../registry/read/selection.ts';
import { changedContext } from '../registry/write/write-context.ts';
import type { Authorizer, RequestContext, RequestInfo } from '../request.ts';
import { type Answers, columnsOf, createAnswers } from './answers.ts';
import { binaryOf } from './binary.ts';
import {
  type BodyTarget,
  type ParsedBody,
  patchTypeOf,
  readDeleteOptions,
  readObject,
  readPatch,
} from './bodies.ts';
import { compressed } from './compression.ts';
import { type Connector, answerConnection } from './connect.ts';
import type { Negotiated } from './negotiation.ts';
import { deleteRequest, listParameters, watchParameters, writeContext } from './options.ts';
import type { Next } from './pipeline.ts';
import { budgetOf } from './request-budget.ts';
import { bytesResponse, negotiatorOf, objectResponse, pageNotFound, successStatus } from './responses.ts';
import { attributesOf, authorize } from './stages/authorization.ts';
import { decodeVirtual } from './virtual-body.ts';
import { patchVirtual } from './virtual-patch.ts';
import { withAdmission } from './virtual-admission.ts';
import { watchOverWebSocket } from './watch-socket.ts';
import { type VirtualHandler, virtualKey } from './virtual.ts';

export interface ResourcesOptions {
  readonly scheme: Scheme;
  readonly registry: Registry;
  readonly virtual: readonly VirtualHandler[];
  /** What answers subresources of kinds that come and go; asked where `virtual` has nothing. */
  readonly virtualOf?: (kind: AnyKind, subresource: string) => VirtualHandler | undefined;
  /** Kinds whose objects are made when they are asked for, instead of `registry`'s. */
  readonly computed?: readonly ResourceRegistry[];
  readonly clock: Clock;
  /** Asked again where an update or an apply makes an object. */
  readonly authorizer: Authorizer;
  /** What looks at requests that no registry answers; read on every one of them. */
  readonly admission: () => PluginPhases;
  readonly onAdmission: OnAdmission;
  /** Makes connections to pods, nodes and services. */
  readonly connect: Connector;
}

/** Answers requests for resources: reads what is asked, calls the registry, writes what it gives (sections 4.1 to 4.4). */
export function createResources(options: ResourcesOptions): Next {
  const resources = new Resources(options);
  return (context) => resources.answer(context);
}

interface Version {
  readonly schema: StructSchema;
  readonly typeMeta: TypeMeta;
}

class Resources {
  readonly #options: ResourcesOptions;
  readonly #virtual: ReadonlyMap<string, VirtualHandler>;
  readonly #computed: ReadonlyMap<AnyKind, ResourceRegistry>;
  readonly #negotiate: ReturnType<typeof negotiatorOf>;
  readonly #answers: Answers;

  constructor(options: ResourcesOptions) {
    this.#options = options;
    this.#virtual = new Map(options.virtual.map((handler) => [virtualKey(handler), handler]));
    this.#computed = new Map((options.computed ?? []).map((each) => [each.kind, each]));
    this.#negotiate = negotiatorOf(options.scheme.vocabulary);
    this.#answers = createAnswers(options);
  }

  answer(context: RequestContext): Soon<HttpResponse> {
    const { kind, info } = context;
    if (kind === undefined) throw unknownPath();
    if (leadsNowhere(kind, info)) return pageNotFound();
    checkPath(kind, context);
    const connection = connectionOf(kind, info.subresource);
    if (connection) return this.#connection(context, kind, connection);
    if (info.httpMethod === 'HEAD' || info.verb === '') throw unrouted(kind, info);
    if (info.verb === 'watch' && info.httpMethod !== 'GET') throw methodNotAllowed();
    if (info.subresource !== '') return this.#subresource(context, kind);
    if (!(kind.verbs as readonly string[]).includes(info.verb)) throw methodNotAllowed();
    if (kind.terminating && info.verb === 'create') throw endingKind();
    if (kind.virtual && !this.#computed.has(kind))
      return this.#callVirtual(context, kind, kind.schema, this.#options.scheme.typeMetaOf(kind));
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

  /** What is handed on as it is may be asked with any method. */
  #connection(context: RequestContext, kind: AnyKind, connection: Connection): Promise<HttpResponse> {
    const { httpMethod, verb } = context.info;
    const isHandedOn = !connection.upgrades && !connection.reads;
    const isKnown = httpMethod !== 'HEAD' && (connection.verbs as readonly string[]).includes(verb);
    if (!isKnown && !(isHandedOn && PASSED_ON.has(httpMethod))) throw methodNotAllowed();
    if (!connection.reads && context.info.query.has('dryRun')) throw badRequest('dryRun is not supported');
    return answerConnection(context, kind, connection, {
      ...this.#admitted(),
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
      // A custom resource that lacks the subresource is told to be missing itself.
      throw kind.schema.root ? notFound({ group, resource }, name) : unknownPath();
    }
    if (!(subresource.verbs as readonly string[]).includes(info.verb)) throw refusedMethod(kind, info);
    if (isVirtualSubresource(subresource)) {
      const { schema, otherVersions = [] } = subresource;
      const typeMetaOf = (version: string): TypeMeta =>
        this.#options.scheme.typeMetaOf({ ...subresource, version });
      const others = otherVersions.map((each) => ({
        schema: each.schema,
        typeMeta: typeMetaOf(each.version),
      }));
      return this.#callVirtual(context, kind, schema, typeMetaOf(subresource.version), others);
    }
    return this.#stored(context, kind);
  }

  #get(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Soon<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const version = context.info.query.get('resourceVersion') ?? '';
    const found = registry.get(namespaceOf(kind, context), context.info.name, version);
    return whenThere(found, (encoded) =>
      whenThere(this.#answers.one(context, kind, negotiated, 200, encoded), (answer) =>
        compressed(context.http.headers, answer),
      ),
    );
  }

  async #list(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const list = await registry.list(listParameters(context.info.query, namespaceOf(kind, context)));
    return compressed(context.http.headers, await this.#answers.many(context, kind, negotiated, list));
  }

  async #watch(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const { query, name } = context.info;
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const { mediaType, transform, framing } = this.#answers.stream(context, kind, negotiated);
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

  #versionOf(kind: AnyKind): Version {
    return { schema: kind.schema, typeMeta: this.#options.scheme.typeMetaOf(kind) };
  }

  /** What a body of this kind may be written in. */
  #bodyOf({ schema, typeMeta }: Version): BodyTarget {
    const { protobufMediaType } = this.#options.scheme.vocabulary;
    const { kind, apiVersion } = typeMeta;
    return { kind, apiVersion, schema, protobuf: hasProtobuf(schema) ? protobufMediaType : undefined };
  }

  async #create(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const write = writeContext(context, 'CreateOptions', this.#options.scheme.vocabulary);
    const body = await readObject(context.http, budgetOf(context), this.#bodyOf(this.#versionOf(kind)));
    const written = await registry.create(namespaceOf(kind, context), body.value, asWritten(write, body));
    return this.#answers.one(context, kind, negotiated, 201, written);
  }

  /** A write that may make an object, for which its user must be allowed to create. */
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
    const body = await readObject(context.http, budgetOf(context), this.#bodyOf(this.#versionOf(kind)));
    const { name, subresource } = context.info;
    const written = await registry.update(
      namespaceOf(kind, context),
      name,
      subresource,
      body.value,
      asWritten(write, body),
    );
    return this.#answers.one(context, kind, negotiated, written.created ? 201 : 200, written);
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
    // What is applied makes the object where there is none.
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
    return this.#answers.one(context, kind, negotiated, written.created ? 201 : 200, written);
  }

  async #delete(context: RequestContext, kind: AnyKind, registry: ResourceRegistry): Promise<HttpResponse> {
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context));
    const body = await this.#deleteOptions(context);
    const { parameters, write, cascading } = deleteRequest(context, body, this.#options.scheme.vocabulary);
    const { name } = context.info;
    const deleted = await registry.delete(namespaceOf(kind, context), name, parameters, write);
    const status = !deleted.isRemoved && cascading ? 202 : 200;
    if (deleted.returnsObject) return this.#answers.one(context, kind, negotiated, status, deleted);
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
    return this.#answers.many(
      context,
      kind,
      negotiated,
      await registry.deleteCollection(list, parameters, write),
    );
  }

  /** What admission is asked with of a request that no registry answers. */
  #admitted(): Omit<Admitted, 'kind'> {
    const { scheme, admission, onAdmission, clock } = this.#options;
    return { scheme, admission, onAdmission, environment: { clock } };
  }

  async #callVirtual(
    context: RequestContext,
    kind: AnyKind,
    schema: StructSchema,
    typeMeta: TypeMeta,
    otherVersions: readonly Version[] = [],
  ): Promise<HttpResponse> {
    const { info } = context;
    const { scheme } = this.#options;
    const key = virtualKey({
      group: kind.group,
      version: kind.version,
      resource: kind.plural,
      subresource: info.subresource,
    });
    const found = this.#virtual.get(key) ?? this.#options.virtualOf?.(kind, info.subresource);
    if (found === undefined) throw unknownPath();
    const handler = withAdmission(found, { ...this.#admitted(), kind, schema, typeMeta });
    const tables = columnsOf(kind, info.subresource) !== undefined;
    const negotiated = this.#negotiate(context.http.headers, binaryOf(context), tables);
    const path = { namespace: namespaceOf(kind, context), name: info.name };
    if (info.verb === 'patch') {
      const type = patchTypeOf(context.http, kind);
      const write = writeContext(context, 'PatchOptions', scheme.vocabulary, type);
      const target = { scheme, schema, typeMeta, custom: kind.schema.root !== undefined };
      const patched = await patchVirtual(handler, context, target, path, write, type);
      return this.#answers.virtual(context, kind, negotiated, 200, { ...typeMeta, ...patched });
    }
    const body =
      info.verb === 'get'
        ? { ...typeMeta }
        : await this.#virtualBody(context, [{ schema, typeMeta }, ...otherVersions]);
    if (info.verb === 'update') checkName(body, path.namespace, path.name);
    const answer = await handler.handle(context, body, path.namespace, path.name);
    const status = info.verb === 'create' ? 201 : 200;
    return this.#answers.virtual(context, kind, negotiated, status, { ...typeMeta, ...answer });
  }

  /** The first version is meant where the body does not say. */
  async #virtualBody(
    context: RequestContext,
    versions: readonly [Version, ...Version[]],
  ): Promise<ApiObject> {
    const { scheme } = this.#options;
    const [target, ...others] = versions;
    const body = await readObject(
      context.http,
      budgetOf(context),
      this.#bodyOf(target),
      ...others.map((version) => this.#bodyOf(version)),
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

/** The path must have the shape that the kind's scope and the verb give it (specification 1, section 4.1). Throws 404, 405. */
function checkPath(kind: AnyKind, { info }: RequestContext): void {
  const { namespace, subresource, verb, name } = info;
  // Upstream knows the form of a path through `/proxy/`, to authorize it, and serves it no longer.
  if (verb === 'proxy') throw unknownPath();
  if (subresource !== '' && subresource !== 'proxy' && !endsWith(info.path, `/${name}/${subresource}`))
    throw unknownPath();
  if (!kind.namespaced && namespace !== '' && !isNamespacePath(info)) throw unknownPath();
  const reads = verb === 'list' || verb === 'watch';
  const listed = kind.verbs.includes('list');
  // Across all namespaces there are lists and watches alone.
  if (kind.namespaced && namespace === '' && !(reads && listed))
    throw name === '' && listed ? methodNotAllowed() : unknownPath();
  // A kind that is only made, such as a review, has no path of an item.
  if (name !== '' && subresource === '' && !reads && !kind.verbs.some(isOfItem)) throw unknownPath();
  if (isOfItem(verb) && name === '')
    throw kind.schema.root ? badRequest('name must be provided') : methodNotAllowed();
  // With a slash it leads nowhere, for what is made has none.
  const wrong = isOfItem(verb) && !name.includes('/') ? isPathSegment(name) : [];
  if (wrong.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${wrong.join(';')}`);
  if (verb === 'create' && name !== '' && subresource === '' && !kind.schema.root) throw methodNotAllowed();
}

/** What is never asked for in this way: of built-in kinds a subresource that is not there is missing in any. */
const unrouted = (kind: AnyKind, info: RequestInfo): ApiError =>
  kind.schema.root || info.subresource === '' || Object.hasOwn(kind.subresources, info.subresource)
    ? refusedMethod(kind, info)
    : unknownPath();

/** Custom resources have no route of their own for each method: who serves them looks at the verb (release 1.24). */
const refusedMethod = (kind: AnyKind, { group, resource, verb }: RequestInfo): ApiError =>
  kind.schema.root ? methodNotSupported({ group, resource }, verb) : methodNotAllowed();

/** A custom resource in a namespace, at a path without one: who serves them hands on what is no list and no watch. */
const leadsNowhere = (kind: AnyKind, { namespace, verb }: RequestInfo): boolean =>
  kind.schema.root !== undefined &&
  kind.namespaced &&
  namespace === '' &&
  verb !== '' &&
  verb !== 'list' &&
  verb !== 'watch';

const endingKind = (): ApiError =>
  methodNotAllowed('create not allowed while custom resource definition is terminating');

/** Methods that a proxy hands on and that stand for nothing here. */
const PASSED_ON = new Set(['HEAD', 'OPTIONS']);

function connectionOf({ connections = {} }: AnyKind, subresource: string): Connection | undefined {
  return Object.hasOwn(connections, subresource) ? connections[subresource] : undefined;
}

const ITEM_VERBS = new Set(['get', 'update', 'patch', 'delete']);

const isOfItem = (verb: string): boolean => ITEM_VERBS.has(verb);

/** A namespace's own path names it once: it lies in no other, nor in itself, and rights in one show no other. */
const isNamespacePath = ({ resource, namespace, name, path }: RequestInfo): boolean =>
  resource === 'namespaces' && namespace === name && `${path}/`.split('/namespaces/').length === 2;

const endsWith = (path: string, end: string): boolean => path.endsWith(end) || path.endsWith(`${end}/`);

/** A namespace's own path bears its name in the place of a namespace; the object lies in none. */
const namespaceOf = (kind: AnyKind, { info }: RequestContext): string =>
  kind.namespaced ? info.namespace : '';

/** A watch on one object's path, of the old form, sees that object alone, and may say so itself. Throws 400. */
function withName(kind: AnyKind, fieldSelector: string, name: string): string {
  const own = `metadata.name=${escapeFieldValue(name)}`;
  if (name === '' || fieldSelector === own) return fieldSelector;
  const selection = parseSelection(kind as unknown as Kind, { fieldSelector, labelSelector: '' });
  if (selection.everything) return own;
  if (selection.name === name) return fieldSelector;
  throw badRequest("fieldSelector metadata.name doesn't match requested name");
}

const withoutTransform = (negotiated: Negotiated): Negotiated => ({ ...negotiated, as: undefined });

/** What is notable of how a body is written. */
const asWritten = (write: WriteContext, { duplicates, repeatedKeys, floats }: ParsedBody): WriteContext =>
  duplicates.length === 0 && !repeatedKeys?.length && floats === undefined
    ? write
    : changedContext(write, { duplicateFields: duplicates, repeatedKeys, floats });
