import { type HttpResponse, textResponse } from '../../base/http/index.ts';

/** Health check with a name. */
export interface HealthCheck {
  readonly name: string;
  /**
   * Returns true if the component is healthy. False and a rejection count as failures. The reason is never
   * sent to clients.
   */
  healthy(): boolean | Promise<boolean>;
}

/** Health checks of `/healthz`, `/livez` and `/readyz`. */
export interface Health {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

/** First path segments of the health endpoints. */
export const HEALTH_PATHS = ['healthz', 'livez', 'readyz'] as const;
export type HealthPath = (typeof HEALTH_PATHS)[number];

/**
 * Runs all checks of a path. The response is `ok`; with `?verbose` or after a failure, it has one line for
 * each check. `?exclude=NAME` skips a check.
 */
export async function answerHealth(
  path: HealthPath,
  checks: readonly HealthCheck[],
  query: URLSearchParams,
): Promise<HttpResponse> {
  const excluded = new Set(query.getAll('exclude'));
  const lines: string[] = [];
  let failed = false;
  for (const check of checks) {
    if (excluded.delete(check.name)) {
      lines.push(`[+]${check.name} excluded: ok\n`);
      continue;
    }
    const healthy = await isHealthy(check);
    failed ||= !healthy;
    lines.push(healthy ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`);
  }
  if (excluded.size > 0) {
    const unknown = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown}\n`);
  }
  if (failed) return textResponse(500, `${lines.join('')}${path} check failed\n`);
  if (!query.has('verbose')) return textResponse(200, 'ok');
  return textResponse(200, `${lines.join('')}${path} check passed\n`);
}

/** Runs one check at its own path, such as `/livez/ping`. */
export async function answerCheck(check: HealthCheck): Promise<HttpResponse> {
  if (!(await isHealthy(check))) return textResponse(500, 'internal server error: reason withheld\n');
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: Buffer.from('ok') };
}

async function isHealthy(check: HealthCheck): Promise<boolean> {
  try {
    return await check.healthy();
  } catch {
    return false;
  }
}
