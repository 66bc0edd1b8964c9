import { methodNotAllowed, unknownPath } from '../../api/status/index.ts';
import type { OpenApi } from '../../api/openapi/index.ts';
import type { Enabled } from '../../api/features/features.ts';
import type { Scheme } from '../../api/kinds/index.ts';
import { type HttpResponse, firstHeader, textResponse } from '../../base/http/index.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import { isBinaryValue } from '../http/response/binary.ts';
import { parseAccept } from '../http/response/negotiation.ts';
import { indentedResponse, negotiatorOf, objectResponse, pageNotFound } from '../http/response/responses.ts';
import type { RequestContext } from '../request.ts';
import { type CachedDocument, createCachedDocument } from './cached-document.ts';
import type { Discovery } from './documents.ts';
import type { ExternalGroupVersion } from './external.ts';
import { type FixedDocument, fixedDocumentResponse } from './fixed-documents.ts';
import { HEALTH_PATHS, type Health, type HealthPath, answerCheck, answerHealth } from './health.ts';
import { type OpenApiDocuments, createOpenApiDocuments } from './openapi-documents.ts';
import { type PresentDocuments, createPresentDocuments } from './present-documents.ts';
import type { VersionInfo } from '../../api/types/version.ts';

/** Components and options of `createEndpoints`. */
export interface EndpointsOptions {
  readonly scheme: Scheme;
  readonly discovery: Discovery;
  /**
   * Returns the group versions of other servers. Returns the same array until a group version changes. The
   * default is none.
   */
  readonly external?: () => readonly ExternalGroupVersion[];
  readonly openApi: OpenApi;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly version: VersionInfo;
  readonly enabled: Enabled;
  /**
   * Returns the text for a debugging path. Returns undefined if the path does not exist. Debugging paths are
   * not listed at `/`.
   */
  readonly debug?: (path: string, query: URLSearchParams) => string | undefined;
  /** Server address that `/api` reports. If undefined, `/api` reports the host of the request. */
  readonly serverAddress: string | undefined;
  /** Additional static documents, each with its own path. The default is none. */
  readonly documents?: readonly FixedDocument[] | undefined;
}

/** Handlers of all paths that are not resources: discovery, OpenAPI, health, metrics and version. */
export interface Endpoints {
  /** Handles a request. The response for an unknown path is a 404; the root returns a list of all paths. */
  respond(context: RequestContext): Promise<HttpResponse>;
  /**
   * Returns the 404 response for an unknown resource path. The response is plain text if the group is
   * unknown, and a `Status` if only the resource is unknown.
   */
  unknownResource(context: RequestContext): HttpResponse;
}

/** Creates the handlers of paths that are not resources. */
export function createEndpoints(options: EndpointsOptions): Endpoints {
  return new ServedEndpoints(options);
}

class ServedEndpoints implements Endpoints {
  readonly #options: EndpointsOptions;
  readonly #present: PresentDocuments;
  readonly #openApi: OpenApiDocuments;

  constructor(options: EndpointsOptions) {
    this.#options = options;
    this.#present = createPresentDocuments(options);
    this.#openApi = createOpenApiDocuments({ ...options, present: this.#present });
  }

  async respond(context: RequestContext): Promise<HttpResponse> {
    const { path } = context.info;
    // The authorizer treats a path with an empty segment as different from the path without that segment.
    if (path.includes('//')) return pageNotFound();
    const [first = '', ...rest] = path.replace(/^\//, '').replace(/\/$/, '').split('/');
    if (isHealthPath(first)) return this.#health(context, first, rest.join('/'));
    const answered = await this.#answerGet(context, first, rest);
    if (answered !== undefined) return answered;
    return first === '' ? indentedResponse({ paths: [...this.#paths()].sort() }) : pageNotFound();
  }

  unknownResource(context: RequestContext): HttpResponse {
    const { group, path } = context.info;
    if (path.startsWith('/apis/') && !this.#options.discovery.hasGroup(group)) return pageNotFound();
    throw unknownPath();
  }

  async #answerGet(
    context: RequestContext,
    first: string,
    rest: readonly string[],
  ): Promise<HttpResponse | undefined> {
    const handler = this.#fixed(context) ?? this.#find(context, first, rest);
    if (handler === undefined) return undefined;
    if (context.info.httpMethod !== 'GET') throw methodNotAllowed();
    return handler();
  }

  #find(
    context: RequestContext,
    first: string,
    rest: readonly string[],
  ): (() => Promise<HttpResponse> | HttpResponse) | undefined {
    const [second = '', third = ''] = rest;
    switch (first) {
      case 'api':
        return rest.length === 0
          ? () => this.#root(context, true)
          : () => this.#groupVersion(context, '', second);
      case 'apis':
        if (rest.length === 0) return () => this.#root(context, false);
        if (second === '') return undefined;
        return rest.length === 1
          ? () => this.#group(context, second)
          : () => this.#groupVersion(context, second, third);
      case 'version':
        return rest.length === 0 ? () => indentedResponse(this.#options.version) : undefined;
      case 'metrics':
        return rest.length === 0 ? () => this.#metrics() : undefined;
      case 'openapi':
        if (second === 'v2' && rest.length === 1) return () => this.#openApi.v2(context.http.headers);
        return second === 'v3' && this.#options.enabled('OpenAPIV3')
          ? () => this.#openApi.v3(context, rest.slice(1).join('/'))
          : undefined;
      case 'debug':
        return this.#debug(context);
      default:
        return undefined;
    }
  }

  #debug({ info }: RequestContext): (() => HttpResponse) | undefined {
    const text = this.#options.debug?.(info.path, info.query);
    return text === undefined ? undefined : () => textResponse(200, text);
  }

  #fixed(context: RequestContext): (() => HttpResponse) | undefined {
    const path = context.info.path.replace(/\/$/, '');
    const document = this.#options.documents?.find((each) => each.path === path);
    return document && (() => fixedDocumentResponse(document));
  }

  #object(context: RequestContext, value: object): HttpResponse {
    const negotiate = negotiatorOf(this.#options.scheme.vocabulary);
    const negotiated = negotiate(context.http.headers, isBinaryValue(value));
    return objectResponse(context, { ...negotiated, as: undefined }, 200, value);
  }

  #root(context: RequestContext, core: boolean): Promise<HttpResponse> | HttpResponse {
    const aggregated = this.#aggregatedFor(context, core);
    if (aggregated !== undefined) return aggregated.respond(context.http.headers);
    const { discovery, serverAddress } = this.#options;
    if (!core) return this.#object(context, discovery.groups());
    const host = firstHeader(context.http.headers, 'host') ?? '';
    return this.#object(context, discovery.coreVersions(serverAddress ?? host));
  }

  /** Returns the aggregated discovery document. Returns undefined if the client prefers plain JSON. */
  #aggregatedFor(context: RequestContext, core: boolean): CachedDocument | undefined {
    const group = this.#options.scheme.vocabulary.group('apidiscovery');
    const clauses = parseAccept((context.http.headers['accept'] ?? []).join(','));
    for (const { type, parameters } of clauses.sort((a, b) => b.quality - a.quality)) {
      if (type !== 'application/json') continue;
      if (parameters.get('as') === undefined) return undefined;
      const version = parameters.get('v');
      if (parameters.get('as') !== 'APIGroupDiscoveryList' || parameters.get('g') !== group) continue;
      if (version !== 'v2' && version !== 'v2beta1') continue;
      return this.#present(`${core}/${version}`, () =>
        createCachedDocument(`application/json;g=${group};v=${version};as=APIGroupDiscoveryList`, () =>
          Buffer.from(JSON.stringify(this.#options.discovery.aggregated(core, version))),
        ),
      );
    }
    return undefined;
  }

  #group(context: RequestContext, group: string): HttpResponse {
    const document = this.#options.discovery.group(group);
    return document === undefined ? pageNotFound() : this.#object(context, document);
  }

  #groupVersion(context: RequestContext, group: string, version: string): HttpResponse {
    const { discovery } = this.#options;
    if (group !== '' && !discovery.hasGroup(group)) return pageNotFound();
    const document = discovery.resources(group, version);
    if (document === undefined) throw unknownPath();
    return this.#object(context, document);
  }

  async #metrics(): Promise<HttpResponse> {
    const { contentType, text } = await this.#options.metrics.expose();
    return { status: 200, headers: { 'content-type': contentType }, body: Buffer.from(text) };
  }

  async #health(context: RequestContext, path: HealthPath, name: string): Promise<HttpResponse> {
    const checks = this.#options.health[path];
    if (name === '') return answerHealth(path, checks, context.info.query);
    const check = checks.find((each) => each.name === name);
    return check === undefined ? pageNotFound() : answerCheck(check);
  }

  *#paths(): Generator<string> {
    const { scheme, health } = this.#options;
    yield* ['/api', '/api/v1', '/apis', '/apis/', '/metrics', '/openapi/v2', '/version'];
    if (this.#options.enabled('OpenAPIV3')) yield* ['/openapi/v3', '/openapi/v3/'];
    for (const { path } of this.#options.documents ?? []) yield path;
    const groups = new Set<string>();
    for (const kind of scheme.kinds) {
      if (kind.group === '') continue;
      groups.add(`/apis/${scheme.vocabulary.group(kind.group)}`);
      groups.add(`/apis/${scheme.apiVersionOf(kind)}`);
    }
    for (const { group, version } of this.#options.external?.() ?? [])
      if (group !== '') groups.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
    yield* groups;
    for (const path of HEALTH_PATHS) {
      yield `/${path}`;
      for (const check of health[path]) yield `/${path}/${check.name}`;
    }
  }
}

const isHealthPath = (name: string): name is HealthPath => (HEALTH_PATHS as readonly string[]).includes(name);
