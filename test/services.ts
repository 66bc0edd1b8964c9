import { accessSync, appendFileSync, constants } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** External programs that some suites need, and how to install them. */
const services = {
  'redis-server': 'apt-get install redis-server',
  etcd: 'apt-get install etcd-server',
  kubectl: 'apt-get install kubernetes-client, or set KUBECTL to its path',
  openssl: 'apt-get install openssl',
  chromium: 'apt-get install chromium',
} as const;

export type ServiceName = keyof typeof services;

export interface Service {
  /** Absolute path of the program; undefined if the suite cannot run. */
  readonly path: string | undefined;
  /** True if the suite cannot run, as the argument of `describe.skipIf`. */
  readonly missing: boolean;
  /** Reason why the suite does not run, with a remedy. */
  readonly reason: string;
}

const isExecutable = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** File that collects the reasons of one run, because each test file runs in its own process. */
export const notRunFile = (pid: number): string => join(tmpdir(), `not-run-${pid}.txt`);

/** Environment variables that contain a program's path. */
const variables: { readonly [name in ServiceName]?: string } = { kubectl: 'KUBECTL' };

/**
 * Finds a program by its environment variable, in `folders` or on the path. If there is none, the end of the
 * run lists the suite as not run; under `REQUIRE_SERVICES=1`, the function throws instead.
 */
export function service(name: ServiceName, suite: string, folders: readonly string[] = []): Service {
  const places = [
    ...folders,
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
    '/usr/local/sbin',
  ];
  const named = process.env[variables[name] ?? ''];
  const path = [...(named ? [named] : []), ...places.map((folder) => join(folder, name))].find(isExecutable);
  if (path !== undefined) return { path, missing: false, reason: '' };
  const reason = `${name} was not found (${services[name]})`;
  recordNotRun(suite, reason);
  return { path, missing: true, reason };
}

/** Lists a suite at the end of the run as not run. Throws under `REQUIRE_SERVICES=1`. */
export function recordNotRun(suite: string, reason: string): void {
  if (process.env['REQUIRE_SERVICES'] === '1') throw new Error(`${suite} cannot run: ${reason}`);
  const file = process.env['NOT_RUN_FILE'];
  if (file !== undefined) appendFileSync(file, `${suite}: ${reason}\n`);
}
