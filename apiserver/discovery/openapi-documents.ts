import type { AnyKind } from '../../api/kinds/index.ts';
import type { ForeignSwagger, OpenApi } from '../../api/openapi/index.ts';
import { writeJson } from '../../api/schema/index.ts';
import { notAcceptable, unknownPath } from '../../api/status/index.ts';
import type { HttpHeaders, HttpResponse } from '../../base/http/index.ts';
import { parseAccept } from '../http/response/negotiation.ts';
import type { RequestContext } from '../request.ts';
import { type CachedDocument, createCachedDocument } from './cached-document.ts';
import type { ExternalGroupVersion } from './external.ts';
import type { PresentDocuments } from './present-documents.ts';

/** Components and options of `createOpenApiDocuments`. */
export interface OpenApiDocumentsOptions {
  readonly openApi: OpenApi;
  readonly present: PresentDocuments;
  /** Returns the group versions of other servers. The default is none. */
  readonly external?: () => readonly ExternalGroupVersion[];
}

/** Handlers of the paths below `/openapi`. */
export interface OpenApiDocuments {
  /** Returns the OpenAPI v2 document in JSON or protobuf. */
  v2(request: HttpHeaders): Promise<HttpResponse>;
  /**
   * Returns the list of OpenAPI v3 documents for an empty path, or one document in JSON or protobuf. `path`
   * is the request path after `/openapi/v3/`.
   * @throws `ApiError` with reason `NotFound` or `NotAcceptable`.
   */
  v3(context: RequestContext, path: string): Promise<HttpResponse> | HttpResponse;
}

const V2_PROTOBUF = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
const V3_PROTOBUF = 'application/com.github.proto-openapi.spec.v3.v1.0+protobuf';

/**
 * True if the client requests the media type. Clients write the media type with `@` or with a dot; responses
 * have the dot, as `@` is not allowed in a media type.
 */
const isRequested = (type: string, mediaType: string): boolean =>
  type === mediaType || type === mediaType.replace('.v1.0+', '@v1.0+');

/** Creates the handlers of OpenAPI paths. */
export function createOpenApiDocuments(options: OpenApiDocumentsOptions): OpenApiDocuments {
  return new ServedOpenApi(options);
}

type Form = 'json' | 'protobuf';

type VersionDocument = { readonly [form in Form]: CachedDocument } & { readonly kinds: readonly AnyKind[] };

class ServedOpenApi implements OpenApiDocuments {
  readonly #options: OpenApiDocumentsOptions;
  /** OpenAPI v3 documents by path; each is cached until its kinds change. */
  readonly #versions = new Map<string, VersionDocument>();

  constructor(options: OpenApiDocumentsOptions) {
    this.#options = options;
  }

  v2(request: HttpHeaders): Promise<HttpResponse> {
    const { openApi, present } = this.#options;
    const foreign = (): ForeignSwagger[] => this.#external().flatMap(({ swagger }) => swagger ?? []);
    const document =
      formAsked(request, V2_PROTOBUF) === 'json'
        ? present('v2', () => createCachedDocument('application/json', () => openApi.v2Json(foreign())))
        : present(V2_PROTOBUF, () => createCachedDocument(V2_PROTOBUF, () => openApi.v2Protobuf(foreign())));
    return document.respond(request);
  }

  v3({ http, info }: RequestContext, path: string): Promise<HttpResponse> | HttpResponse {
    const known = this.#options.openApi.v3Paths();
    for (const each of this.#versions.keys()) if (!known.includes(each)) this.#versions.delete(each);
    if (path === '') return this.#list(known).respond(http.headers);
    if (!known.includes(path)) throw unknownPath();
    const document = this.#version(path)[formAsked(http.headers, V3_PROTOBUF)];
    const requested = info.query.get('hash');
    if (requested === null) return document.respond(http.headers);
    if (requested === document.hash())
      return document.respond(http.headers, { 'cache-control': 'public, immutable' });
    return { status: 301, headers: { location: addressOf(path, document) }, body: Buffer.alloc(0) };
  }

  #external(): readonly ExternalGroupVersion[] {
    return this.#options.external?.() ?? [];
  }

  /** Returns the list of OpenAPI v3 documents, always in JSON, as in Kubernetes 1.24. */
  #list(known: readonly string[]): CachedDocument {
    const paths = known.map((path) => [
      path,
      { serverRelativeURL: addressOf(path, this.#version(path).json) },
    ]);
    for (const { group, version, openApiPath } of this.#external())
      if (openApiPath !== undefined && group !== '')
        paths.push([`apis/${group}/${version}`, { serverRelativeURL: openApiPath }]);
    return createCachedDocument('application/json', () =>
      Buffer.from(writeJson({ paths: Object.fromEntries(paths) as object })),
    );
  }

  /** Returns an OpenAPI v3 document. JSON and protobuf share one URL, which contains the hash of the JSON. */
  #version(path: string): VersionDocument {
    const { openApi } = this.#options;
    const kinds = openApi.v3Kinds(path);
    const known = this.#versions.get(path);
    if (known !== undefined && isSame(known.kinds, kinds)) return known;
    const json = createCachedDocument('application/json', () => openApi.v3Json(path));
    const protobuf = createCachedDocument(V3_PROTOBUF, () => openApi.v3Protobuf(path), json);
    const document = { kinds, json, protobuf };
    this.#versions.set(path, document);
    return document;
  }
}

const addressOf = (path: string, document: CachedDocument): string =>
  `/openapi/v3/${path}?hash=${document.hash()}`;

/**
 * Returns the representation that the client prefers, by default JSON. `protobuf` is the media type of the
 * protobuf representation. Throws status 406 if the client accepts neither.
 */
function formAsked(headers: HttpHeaders, protobuf: string): Form {
  const accept = headers['accept'];
  if (accept === undefined) return 'json';
  for (const { type } of parseAccept(accept.join(',')).sort((a, b) => b.quality - a.quality)) {
    if (isRequested(type, protobuf)) return 'protobuf';
    if (type === 'application/json' || type === 'application/*' || type === '*/*') return 'json';
  }
  throw notAcceptable(`only the following media types are accepted: application/json, ${protobuf}`);
}

const isSame = (a: readonly AnyKind[], b: readonly AnyKind[]): boolean =>
  a.length === b.length && a.every((kind, at) => kind === b[at]);
