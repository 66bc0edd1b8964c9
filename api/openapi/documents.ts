import type { AnyKind, Scheme } from '../kinds/scheme.ts';
import { writeJson } from '../schema/exact-json.ts';
import { security, securityDefinitions } from './credentials.ts';
import { definitionsOf } from './definitions.ts';
import { type Definitions, type Dialect, VERSION_2, VERSION_3 } from './dialect.ts';
import { type DescribedDocument, discoveryOperations } from './discovery-paths.ts';
import { type ForeignSwagger, type SwaggerPieces, withForeign } from './foreign.ts';
import type { Operation } from './operation.ts';
import { type ReturnsDeleted, operationsOf, rootOf } from './paths.ts';
import { type Description, pieceOf, sortedOnce } from './pieces.ts';
import { type SwaggerDocument, encodeDefinition, encodePath, joinSwagger } from './protobuf.ts';
import { type OnUnpublishable, Publishable } from './publishable.ts';
import { capital } from './words.ts';
import { type VersionThreeDocument, encodeVersionThree } from './version-three.ts';
import { swaggerPaths, versionThreePaths } from './written-paths.ts';

const SWAGGER = { swagger: '2.0', securityDefinitions, security } as const;

/**
 * The OpenAPI documents for clients. Each document is created on request from the current kinds. The parts of
 * the initial kinds are cached forever. The parts of other kinds are cached as long as these kinds exist, so
 * that adding a kind costs only the creation of its part.
 */
export interface OpenApi {
  /** Returns the version 2 (Swagger) document, which describes all kinds. */
  v2(): SwaggerDocument;
  /**
   * Returns the version 2 document as JSON. The documents of other servers are merged into it; by default
   * there are none.
   */
  v2Json(foreign?: readonly ForeignSwagger[]): Buffer;
  /** Returns the version 2 document as gnostic's protobuf message `openapi.v2.Document`. */
  v2Protobuf(foreign?: readonly ForeignSwagger[]): Buffer;
  /** Returns the paths of the version 3 documents: `api`, `api/v1`, `apis/batch/v1`, `version` and so on. */
  v3Paths(): readonly string[];
  /** Returns the version 3 document at a path that `v3Paths` returns. */
  v3(path: string): VersionThreeDocument;
  /** Returns the version 3 document at a path as JSON. */
  v3Json(path: string): Buffer;
  /** Returns the version 3 document at a path as gnostic's protobuf message `openapi.v3.Document`. */
  v3Protobuf(path: string): Buffer;
  /** Returns the kinds in the version 3 document at a path. The document changes only if its kinds change. */
  v3Kinds(path: string): readonly AnyKind[];
}

/** Options of the OpenAPI documents. */
export interface OpenApiOptions {
  /** Version of the server, such as `v1.24.17`. */
  readonly version: string;
  /** Returns true for kinds whose deletion returns the object. The default returns false for all kinds. */
  readonly returnsDeleted?: ReturnsDeleted;
  /** Additional documents to describe; by default none. */
  readonly documents?: readonly DescribedDocument[];
  /** Called for each kind that is omitted because it cannot be written. The default does nothing. */
  readonly onUnpublishable?: OnUnpublishable;
}

/**
 * Creates the documents. `scheme` may gain and lose kinds later, but must retain the kinds that it has now.
 */
export function createOpenApi(scheme: Scheme, options: OpenApiOptions): OpenApi {
  return new WrittenOpenApi(scheme, options);
}

class WrittenOpenApi implements OpenApi {
  readonly #scheme: Scheme;
  readonly #options: OpenApiOptions;
  readonly #fixed: readonly AnyKind[];
  readonly #isFixed: ReadonlySet<AnyKind>;
  readonly #versions: () => ReadonlyMap<string, readonly AnyKind[]>;
  readonly #described = new WeakMap<AnyKind, Description>();
  readonly #publishable: Publishable;
  #base: Description | undefined;
  #ofServer: ReadonlyMap<string, Operation> | undefined;

  constructor(scheme: Scheme, options: OpenApiOptions) {
    this.#scheme = scheme;
    this.#options = options;
    this.#fixed = scheme.kinds;
    this.#isFixed = new Set(this.#fixed);
    this.#versions = groupVersionsOf(scheme);
    this.#publishable = new Publishable(options.onUnpublishable ?? (() => {}));
  }

  v2(): SwaggerDocument {
    const { paths, definitions } = this.#publishable.made(this.#others(), (others) => this.#own(others));
    return {
      ...SWAGGER,
      info: this.#info(),
      paths: Object.fromEntries(paths.map(({ name, value }) => [name, value])),
      definitions: Object.fromEntries(definitions.map(({ name, value }) => [name, value])),
    };
  }

  v2Json(foreign: readonly ForeignSwagger[] = []): Buffer {
    const members = (pieces: SwaggerPieces['paths']): string => pieces.map((piece) => piece.json()).join();
    const head = JSON.stringify({ ...SWAGGER, info: this.#info() }).slice(0, -1);
    return this.#whole(foreign, ({ paths, definitions }) =>
      Buffer.from(`${head},"paths":{${members(paths)}},"definitions":{${members(definitions)}}}`),
    );
  }

  v2Protobuf(foreign: readonly ForeignSwagger[] = []): Buffer {
    const encoded = (pieces: SwaggerPieces['paths']): Buffer[] => pieces.map((piece) => piece.protobuf());
    return this.#whole(foreign, ({ paths, definitions }) =>
      joinSwagger(this.#info(), encoded(paths), encoded(definitions)),
    );
  }

  v3Paths(): readonly string[] {
    return [...new Set([...this.#versions().keys(), ...this.#serverOperations().keys()])].sort();
  }

  v3Json(path: string): Buffer {
    return this.#v3(path, (document) => Buffer.from(writeJson(document)));
  }

  v3Protobuf(path: string): Buffer {
    return this.#v3(path, encodeVersionThree);
  }

  v3(path: string): VersionThreeDocument {
    return this.#v3(path, (document) => document);
  }

  #v3<T>(path: string, write: (document: VersionThreeDocument) => T): T {
    return this.#publishable.made(this.v3Kinds(path), (kinds) => write(this.#v3Document(path, kinds)));
  }

  #v3Document(path: string, kinds: readonly AnyKind[]): VersionThreeDocument {
    const ofServer = this.#serverOperations().get(path);
    const operations = [...(ofServer === undefined ? [] : [ofServer]), ...this.#operationsOf(kinds)];
    return {
      openapi: '3.0.0',
      info: this.#info(),
      paths: versionThreePaths(this.#scheme.vocabulary, operations),
      components: {
        schemas: this.#definitionsOf(kinds, operations, VERSION_3),
        securitySchemes: securityDefinitions,
      },
    };
  }

  v3Kinds(path: string): readonly AnyKind[] {
    return this.#publishable.of(this.#versions().get(path) ?? []);
  }

  #info(): SwaggerDocument['info'] {
    return { title: capital(this.#scheme.vocabulary.product), version: this.#options.version };
  }

  #whole<T>(foreign: readonly ForeignSwagger[], write: (pieces: SwaggerPieces) => T): T {
    const extension = this.#scheme.vocabulary.extension('group-version-kind');
    return this.#publishable.made(this.#others(), (others) =>
      write(withForeign(this.#own(others), foreign, extension)),
    );
  }

  /** Returns the kinds that were added after creation. */
  #others(): readonly AnyKind[] {
    return this.#scheme.kinds.filter((kind) => !this.#isFixed.has(kind));
  }

  #own(others: readonly AnyKind[]): Description {
    const parts = [
      (this.#base ??= this.#describe(this.#fixed, [...this.#serverOperations().values()])),
      ...others.map((kind) => this.#describedOnce(kind)),
    ];
    return {
      paths: sortedOnce(parts.flatMap(({ paths }) => paths)),
      definitions: sortedOnce(parts.flatMap(({ definitions }) => definitions)),
    };
  }

  #describedOnce(kind: AnyKind): Description {
    const description = this.#described.get(kind) ?? this.#describe([kind], []);
    this.#described.set(kind, description);
    return description;
  }

  #describe(kinds: readonly AnyKind[], ofServer: readonly Operation[]): Description {
    const operations = [...ofServer, ...this.#operationsOf(kinds)];
    const paths = swaggerPaths(this.#scheme.vocabulary, operations);
    const definitions = this.#definitionsOf(kinds, operations, VERSION_2);
    return {
      paths: Object.entries(paths).map(([name, value]) => pieceOf(name, value, encodePath)),
      definitions: Object.entries(definitions).map(([name, value]) => pieceOf(name, value, encodeDefinition)),
    };
  }

  #definitionsOf(kinds: readonly AnyKind[], operations: readonly Operation[], dialect: Dialect): Definitions {
    const groupVersions = [...groupVersionsIn(this.#scheme, this.#fixed).values()]
      .map(([{ group, version }]) => ({ group: this.#scheme.vocabulary.group(group), version }))
      .sort((a, b) => (`${a.group}/${a.version}` < `${b.group}/${b.version}` ? -1 : 1));
    return definitionsOf(this.#scheme, { kinds, named: namedBy(operations), groupVersions }, dialect);
  }

  #operationsOf(kinds: readonly AnyKind[]): Operation[] {
    return operationsOf(this.#scheme, kinds, this.#options.returnsDeleted ?? (() => false));
  }

  /** Returns the operations that describe the server, by the path of their version 3 document. */
  #serverOperations(): ReadonlyMap<string, Operation> {
    return (this.#ofServer ??= new Map(
      discoveryOperations(this.#scheme, this.#fixed, this.#options.documents ?? []).map((operation) => [
        sectionOf(operation.path),
        operation,
      ]),
    ));
  }
}

/** Returns a function that groups the kinds by group version. Its result is cached until the kinds change. */
function groupVersionsOf(scheme: Scheme): () => ReadonlyMap<string, readonly AnyKind[]> {
  let counted: readonly AnyKind[] | undefined;
  let byPath: ReadonlyMap<string, readonly AnyKind[]> = new Map();
  return () => {
    if (counted !== scheme.kinds) byPath = groupVersionsIn(scheme, scheme.kinds);
    counted = scheme.kinds;
    return byPath;
  };
}

function groupVersionsIn(
  scheme: Scheme,
  kinds: readonly AnyKind[],
): ReadonlyMap<string, readonly [AnyKind, ...AnyKind[]]> {
  const byPath = new Map<string, [AnyKind, ...AnyKind[]]>();
  for (const kind of kinds) {
    const path = sectionOf(rootOf(scheme, kind));
    const known = byPath.get(path);
    if (known === undefined) byPath.set(path, [kind]);
    else known.push(kind);
  }
  return byPath;
}

/** Returns the types that operations refer to, without the vocabulary's prefix. */
const namedBy = (operations: readonly Operation[]): Set<string> =>
  new Set(operations.flatMap(({ body = '', responses }) => [body, ...Object.values(responses)]));

/** Returns the path of the version 3 document that contains a path such as `/api/v1` or `/version/`. */
const sectionOf = (path: string): string => path.replaceAll(/^\/|\/$/g, '');
