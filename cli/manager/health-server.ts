import { type HttpHandler, type HttpResponse, readTarget, textResponse } from '../../base/http/index.ts';
import type { ControllerManager } from '../../runtime/index.ts';
import { type LoopbackServer, createLoopbackServer } from '../program/loopback-server.ts';

type Watched = Pick<ControllerManager, 'state' | 'metrics'>;

/**
 * Creates a server for `/healthz`, `/readyz`, `/livez` and `/metrics` of a stand-alone controller manager. It
 * uses plain HTTP on loopback, for probes on the same machine, and serves no secrets.
 *
 * Each controller is a separate check (`/healthz/cronjob`, `?exclude=cronjob`, `?verbose`). `/livez` does not
 * depend on the controllers. `others` serves all other paths.
 */
export const createHealthServer = (
  manager: Watched,
  port: number,
  others: HttpHandler = () => textResponse(404, '404 page not found\n'),
): LoopbackServer =>
  createLoopbackServer('health server', port, async (request) => {
    const { path, query } = readTarget(request.url);
    const [endpoint = '', name, ...rest] = path.slice(1).split('/');
    if (rest.length > 0) return others(request);
    if (endpoint === 'healthz' || endpoint === 'readyz') {
      const checks = checksOf(manager);
      return name === undefined ? answerAll(endpoint, checks, query) : answerOne(name, checks);
    }
    if (name !== undefined) return others(request);
    if (endpoint === 'livez') return answerAll(endpoint, [PING], query);
    if (endpoint !== 'metrics') return others(request);
    const { contentType, text } = await manager.metrics();
    return { status: 200, headers: { 'content-type': contentType }, body: Buffer.from(text) };
  });

interface Check {
  readonly name: string;
  /** Reason of a failed check; undefined if the check passes. */
  readonly problem: string | undefined;
}

const PING: Check = { name: 'ping', problem: undefined };

const checksOf = (manager: Watched): readonly Check[] => [
  PING,
  ...manager.state().map(({ name, problems }) => ({
    name,
    problem: problems.length === 0 ? undefined : problems.join(', '),
  })),
];

function answerAll(endpoint: string, all: readonly Check[], query: URLSearchParams): HttpResponse {
  const excluded = new Set(query.getAll('exclude'));
  const checks = all.filter(({ name }) => !excluded.has(name));
  const failed = checks.some(({ problem }) => problem !== undefined);
  if (!failed && !query.has('verbose')) return textResponse(200, 'ok');
  const lines = checks.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok\n` : `[-]${name} failed: ${problem}\n`,
  );
  return textResponse(
    failed ? 500 : 200,
    `${lines.join('')}${endpoint} check ${failed ? 'failed' : 'passed'}\n`,
  );
}

function answerOne(name: string, checks: readonly Check[]): HttpResponse {
  const check = checks.find((each) => each.name === name);
  if (check === undefined) return textResponse(404, '404 page not found\n');
  return check.problem === undefined ? textResponse(200, 'ok') : textResponse(500, `${check.problem}\n`);
}
