import { badRequest } from '../api/status/index.ts';
import { type Soon, orElse, whenThere } from '../base/async/index.ts';
import type { Environment } from '../base/environment.ts';
import {
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  MalformedPath,
  firstHeader,
  textResponse,
} from '../base/http/index.ts';
import type { Lifetime } from '../base/lifetime/index.ts';
import type { Metrics } from '../base/metrics/index.ts';
import { NO_TRAIL } from './audit/trail.ts';
import { NOBODY } from './http/pipeline.ts';
import { parseRequestInfo } from './http/request/request-info.ts';
import { errorResponse } from './http/response/responses.ts';
import { loggable } from './http/stages/guard.ts';
import { withStandardHeaders } from './http/response/standard-headers.ts';
import type { Registry } from './registry/registry.ts';
import type { RequestContext, RequestInfo } from './request.ts';
import { ServerLife } from './server-life.ts';
import type { ApiServerOptions } from './server-options.ts';
import { type ServerParts, createServerParts } from './server-parts.ts';
import { patiently } from './storage/patience.ts';

export type { ApiServerOptions, FromRegistry } from './server-options.ts';

/** API server without sockets: a function from request to response, and a lifetime. */
export interface ApiServer extends Lifetime {
  readonly handler: HttpHandler;
  readonly registry: Registry;
  readonly metrics: Metrics;
  /** True after startup, including bootstrap, and before shutdown. */
  readonly ready: boolean;
}

/** Creates a server. Nothing runs before `start`. */
export function createApiServer(options: ApiServerOptions): ApiServer {
  const life = new ServerLife();
  return new AssembledServer(createServerParts(options, life), life);
}

class AssembledServer implements ApiServer {
  readonly name = 'api server';
  readonly registry: Registry;
  readonly metrics: Metrics;
  // Initialized in the field: V8 treats a function assigned in the constructor as constant, and keeps its
  // server alive.
  readonly handler: HttpHandler = (request) => this.#handle(request);
  readonly #parts: ServerParts;
  readonly #life: ServerLife;

  constructor(parts: ServerParts, life: ServerLife) {
    this.#parts = parts;
    this.#life = life;
    this.registry = parts.registry;
    this.metrics = parts.metrics;
  }

  get ready(): boolean {
    return this.#life.phase === 'ready';
  }

  async start(): Promise<void> {
    const { options, auditor, registry, extensions, limiter, aggregator } = this.#parts;
    const { bootstrap = [], environment } = options;
    const life = this.#life;
    life.phase = 'starting';
    await auditor?.start();
    await registry.start();
    life.complete('registry');
    await extensions.start();
    life.complete('extensions');
    for (const run of bootstrap) await patiently(environment, () => run(registry));
    life.complete('bootstrap');
    await limiter?.start();
    life.complete('flowcontrol');
    await patiently(environment, async () => aggregator?.start());
    life.complete('aggregation');
    life.phase = 'ready';
  }

  async stop(): Promise<void> {
    const { deadline, limiter, aggregator, extensions, registry, auditor } = this.#parts;
    this.#life.phase = 'stopping';
    deadline.close();
    try {
      await limiter?.stop();
      await aggregator?.stop();
      await extensions.stop();
      await registry.stop();
    } finally {
      await auditor?.stop();
    }
  }

  #handle(request: HttpRequest): Soon<HttpResponse> {
    const { options, pipeline } = this.#parts;
    const id = requestId(request, options.environment);
    const info = readInfo(request);
    if (info instanceof MalformedPath) {
      const context = this.#context(request, parseRequestInfo(request.method, '/'), id);
      const rejection = errorResponse(context, badRequest(info.message), options.scheme.vocabulary);
      return withStandardHeaders(context, rejection);
    }
    const context = this.#context(request, info, id);
    const response = orElse(
      () => pipeline(context),
      (thrown) => {
        options.environment.log.error(
          { err: loggable(thrown, context), id },
          'pipeline failed because of a defect',
        );
        return textResponse(500, 'internal server error\n');
      },
    );
    return whenThere(response, (given) => withStandardHeaders(context, given));
  }

  #context(http: HttpRequest, info: RequestInfo, id: string): RequestContext {
    const { catalogue, auditor } = this.#parts;
    const kind = info.isResourceRequest
      ? catalogue.served.byResource(info.group, info.version, info.resource)
      : undefined;
    return {
      http,
      info,
      kind,
      user: NOBODY,
      audiences: [],
      warnings: [],
      id,
      audit: auditor?.trail(http) ?? NO_TRAIL,
    };
  }
}

/** Returns the parsed request line, or the error if its path is malformed. */
function readInfo(request: HttpRequest): RequestInfo | MalformedPath {
  try {
    return parseRequestInfo(request.method, request.url);
  } catch (thrown) {
    if (thrown instanceof MalformedPath) return thrown;
    throw thrown;
  }
}

/**
 * Returns the client's audit id if it is short and printable, as it is returned and logged. Otherwise returns
 * a generated id.
 */
function requestId(request: HttpRequest, { random }: Environment): string {
  const given = firstHeader(request.headers, 'audit-id');
  return given !== undefined && /^[\x21-\x7e]{1,64}$/.test(given) ? given : random.uuid();
}
