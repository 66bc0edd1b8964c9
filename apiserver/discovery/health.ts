import { type HttpResponse, textResponse } from '../../base/http/index.ts';

/** One thing that must be well. */
export interface HealthCheck {
  readonly name: string;
  /** False or a rejection: not well. The reason is never shown to strangers. */
  healthy(): boolean | Promise<boolean>;
}

/** `/healthz`, `/livez` and `/readyz`: each a list of checks. */
export interface Health {
  readonly healthz: readonly HealthCheck[];
  readonly livez: readonly HealthCheck[];
  readonly readyz: readonly HealthCheck[];
}

export const HEALTH_PATHS = ['healthz', 'livez', 'readyz'] as const;
export type HealthPath = (typeof HEALTH_PATHS)[number];

/** The whole list: `ok`, or with `?verbose` or on failure a line for each check. `?exclude=name` leaves checks out. */
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
    const well = await isHealthy(check);
    failed ||= !well;
    lines.push(well ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`);
  }
  if (excluded.size > 0) {
    const unknown = [...excluded].map((name) => JSON.stringify(name)).join(',');
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown}\n`);
  }
  if (failed) return textResponse(500, `${lines.join('')}${path} check failed\n`);
  if (!query.has('verbose')) return textResponse(200, 'ok');
  return textResponse(200, `${lines.join('')}${path} check passed\n`);
}

/** One check at its own path, `/livez/ping`. */
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
